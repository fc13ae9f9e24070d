// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("HTTP exchange")
struct ExchangeTests {
    /// Records whether the reader of a slow body has stopped reading.
    private final class Reader: Sendable {
        let hasStopped = Mutex(false)
    }

    private static func message() throws -> OAuthMessage {
        try MetadataRequest(.openIDConnect, of: Issuer(Example.issuer)).message()
    }

    private static func body(next: @escaping @Sendable () async throws -> [UInt8]?) -> HTTPBody {
        HTTPBody(length: nil, isReplayable: false) { next }
    }

    @Test(
        "Returns a redirect without following it to another origin",
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
        "Rejects a body that is too large, with or without a declared length",
        .covers(6, 15),
        .shows(claims: 38),
        arguments: [
            HTTPBody([UInt8](repeating: 0x20, count: 10_000_000)),
            Self.body { [UInt8](repeating: 0x20, count: 100_000) },
        ]
    )
    func largeBody(body: HTTPBody) async throws {
        let transport = ScriptedTransport([ScriptedResponse(HTTPResponse(status: .ok), body: body)])
        let runtime = OAuthRuntime.testing(transport: transport)
        #expect(
            await eventualOutcome { try await runtime.exchange(try Self.message()) }
                == "TransportError bodyTooLarge"
        )
    }

    @Test(
        "Stops reading a slow body at the deadline and releases its connection",
        .covers(15),
        .shows(claims: 38)
    )
    func slowBody() async throws {
        let (clock, reader) = (TestClock(), Reader())
        let body = Self.body {
            do { try await clock.sleep(for: .seconds(1)) } catch {
                reader.hasStopped.withLock { $0 = true }
                throw error
            }
            return [0x20]
        }
        let transport = ScriptedTransport([ScriptedResponse(HTTPResponse(status: .ok), body: body)])
        let runtime = OAuthRuntime.testing(transport: transport, clock: clock)
        let message = try Self.message()
        let exchange = Task {
            await eventualOutcome { try await runtime.exchange(message, deadline: .milliseconds(5_500)) }
        }
        for seconds in [1, 1, 1, 1, 1, 0.5] {
            await clock.sleeperCount(reaches: 2)
            clock.advance(by: .seconds(seconds))
        }
        #expect(await exchange.value == "TransportError timedOut")
        #expect(reader.hasStopped.withLock { $0 })
    }

    @Test("Times out after one minute by default when no response arrives", .covers(15))
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

    @Test("Throws CancellationError when the task is canceled")
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

    @Test("Rethrows a transport error unchanged and does not retry", .covers(64))
    func noRetry() async throws {
        let transport = ScriptedTransport { _ in throw TransportError(.timedOut, host: "as.example") }
        let runtime = OAuthRuntime.testing(transport: transport)
        let code = try #require(try Example.pending(scopes: []).code())
        let message = try TokenRequest.authorizationCode(code).message(client: Example.client)
        #expect(await eventualOutcome { try await runtime.exchange(message) } == "TransportError timedOut")
        #expect(transport.requests.count == 1)
    }
}
