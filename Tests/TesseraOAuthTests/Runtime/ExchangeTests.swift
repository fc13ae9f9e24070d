// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Exchange of one message")
struct ExchangeTests {
    /// What a slow body noticed about its reader.
    private final class Reader: Sendable {
        let left = Mutex(false)
    }

    private static func message() throws -> OAuthMessage {
        try MetadataRequest(.openIDConnect, of: Issuer(Example.issuer)).message()
    }

    private static func body(next: @escaping @Sendable () async throws -> [UInt8]?) -> HTTPBody {
        HTTPBody(length: nil, isReplayable: false) { next }
    }

    @Test(
        "A redirect is an answer and not an order: the other origin hears nothing",
        .covers(5),
        arguments: [301, 302, 303, 307, 308]
    )
    func redirect(_ status: Int) async throws {
        let transport = ScriptedTransport { _ in
            .status(
                .init(code: status),
                headerFields: [.location: "https://evil.example/.well-known/openid-configuration"]
            )
        }
        let request = MetadataRequest(.openIDConnect, of: try Issuer(Example.issuer))
        let (response, body) = try await OAuthRuntime.testing(transport: transport).exchange(try request.message())
        #expect(
            outcome { try request.metadata(status: Int(response.status.code), body: body) }
                == "HTTPStatusError \(status)"
        )
        #expect(transport.requests.map(\.head.authority) == ["as.example"])
    }

    @Test(
        "A body of 10 MB is refused, with and without its length, and an endless one too",
        .covers(6, 15),
        .shows(claims: 38),
        arguments: [
            HTTPBody([UInt8](repeating: 0x20, count: 10_000_000)),
            Self.body { [UInt8](repeating: 0x20, count: 100_000) },
        ]
    )
    func largeBody(body: HTTPBody) async throws {
        let transport = ScriptedTransport([ScriptedAnswer(HTTPResponse(status: .ok), body: body)])
        let runtime = OAuthRuntime.testing(transport: transport)
        #expect(
            await eventualOutcome { try await runtime.exchange(try Self.message()) }
                == "TransportError bodyTooLarge"
        )
    }

    @Test(
        "A body that drips one byte a second ends at the deadline, and its connection is let go",
        .covers(15),
        .shows(claims: 38)
    )
    func slowBody() async throws {
        let (clock, reader) = (TestClock(), Reader())
        let body = Self.body {
            do { try await clock.sleep(for: .seconds(1)) } catch {
                reader.left.withLock { $0 = true }
                throw error
            }
            return [0x20]
        }
        let transport = ScriptedTransport([ScriptedAnswer(HTTPResponse(status: .ok), body: body)])
        let runtime = OAuthRuntime.testing(transport: transport, clock: clock)
        let message = try Self.message()
        let exchange = Task {
            await eventualOutcome { try await runtime.exchange(message, deadline: .milliseconds(5_500)) }
        }
        for _ in 0..<6 {
            await clock.sleeperCount(reaches: 2)
            clock.advance(by: .seconds(1))
        }
        #expect(await exchange.value == "TransportError timedOut")
        #expect(reader.left.withLock { $0 })
    }

    @Test("A head that never comes ends after a minute unless told otherwise", .covers(15))
    func silence() async throws {
        let clock = TestClock()
        let transport = ScriptedTransport { _ in
            try await clock.sleep(for: .seconds(86_400))
            return .status(.ok)
        }
        let runtime = OAuthRuntime.testing(transport: transport, clock: clock)
        let message = try Self.message()
        let exchange = Task { await eventualOutcome { try await runtime.exchange(message) } }
        await clock.sleeperCount(reaches: 2)
        clock.advance(by: .seconds(59))
        #expect(clock.sleeperCount == 2)
        clock.advance(by: .seconds(1))
        #expect(await exchange.value == "TransportError timedOut")
    }

    @Test("Cancellation stays cancellation")
    func cancellation() async throws {
        let clock = TestClock()
        let transport = ScriptedTransport { _ in
            try await clock.sleep(for: .seconds(86_400))
            return .status(.ok)
        }
        let runtime = OAuthRuntime.testing(transport: transport, clock: clock)
        let message = try Self.message()
        let exchange = Task { await eventualOutcome { try await runtime.exchange(message) } }
        await clock.sleeperCount(reaches: 2)
        exchange.cancel()
        #expect(await exchange.value == "CancellationError")
    }

    @Test("What the transport throws comes out as it is, and nothing is sent a second time", .covers(64))
    func noRetry() async throws {
        let transport = ScriptedTransport { _ in throw TransportError(.timedOut, host: "as.example") }
        let runtime = OAuthRuntime.testing(transport: transport)
        let code = try #require(try Example.pending(scopes: []).code())
        let message = try TokenRequest.authorizationCode(code).message(client: Example.client)
        #expect(await eventualOutcome { try await runtime.exchange(message) } == "TransportError timedOut")
        #expect(transport.requests.count == 1)
    }
}
