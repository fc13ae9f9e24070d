// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Polling the token endpoint")
struct PollingTests {
    /// The token endpoint's reply to one poll.
    enum Reply: Sendable {
        case error(String, status: Int = 400, retryAfter: Int? = nil)
        case status(Int, retryAfter: Int? = nil)
        case failure(TransportError.Code)
        case success

        func response() throws -> String {
            switch self {
            case .error(let code, let status, let retryAfter):
                throw OAuthError(OAuthError.Code(rawValue: code), status: status, retryAfter: retryAfter)
            case .status(let status, let retryAfter):
                throw HTTPStatusError(status: status, endpoint: "token endpoint", retryAfter: retryAfter)
            case .failure(let code): throw TransportError(code)
            case .success: return "tokens"
            }
        }
    }

    static let pending = Reply.error("authorization_pending")
    static let slowDown = Reply.error("slow_down")

    /// Polls an endpoint that sends the replies in order and repeats the last one.
    ///
    /// - Returns: The seconds at which polls were sent, the second at which polling ended, and its outcome.
    static func play(
        _ replies: [Reply],
        interval: String = "",
        lifetime: String = "1800",
        replyTakes seconds: Int64 = 0
    ) async throws -> (polls: [Int64], end: Int64, outcome: String) {
        let grant = try DeviceAuthorizationTests.response(["interval": interval, "expires_in": lifetime]).grant
        let clock = TestClock()
        var runtime = OAuthRuntime.testing(transport: ScriptedTransport([]), clock: clock)
        runtime.clock = EagerClock(clock: clock)
        let polls = Mutex<[Int64]>([])
        let outcome = await eventualOutcome {
            try await grant.decision(runtime: runtime) { request, _ in
                #expect(request.grantType == "urn:ietf:params:oauth:grant-type:device_code")
                let number = polls.withLock { polls in
                    polls.append(clock.now.offset.components.seconds)
                    return polls.count
                }
                clock.advance(by: .seconds(seconds))
                return try replies[min(number, replies.count) - 1].response()
            }
        }
        return (polls.withLock { $0 }, clock.now.offset.components.seconds, outcome)
    }

    @Test("Waits for the interval before the first poll and after each pending response", .covers(106, 107))
    func pace() async throws {
        let result = try await Self.play([Self.pending, Self.pending, .success])
        #expect(result.polls == [5, 10, 15])
        #expect(result.outcome == "accepted")
        let slow = try await Self.play([Self.pending, Self.pending, .success], interval: "7", replyTakes: 20)
        #expect(slow.polls == [7, 34, 61])
        #expect(slow.outcome == "accepted")
        let hasty = try await Self.play([Self.pending, Self.pending, .success], interval: "0")
        #expect(hasty.polls == [1, 2, 3])
    }

    @Test("Each slow_down permanently adds 5 seconds to the interval", .covers(106))
    func slowDown() async throws {
        let replies = [Self.pending, Self.slowDown, Self.pending, Self.slowDown, Self.pending, .success]
        #expect(try await Self.play(replies).polls == [5, 10, 20, 30, 45, 60])
        let busy = [Reply.error("slow_down", status: 429, retryAfter: 30), Self.pending, .success]
        #expect(try await Self.play(busy).polls == [5, 35, 45])
    }

    @Test(
        "Doubles the wait after network and server failures, up to a minute, then resets it",
        .covers(108),
        arguments: [
            .failure(.timedOut), .failure(.connectionLost), .failure(.cannotConnect), .failure(.nameResolution),
            .failure(.invalidResponse), .status(503), .status(500), .status(429), .status(408),
            .error("temporarily_unavailable", status: 503), .error("server_error", status: 500),
            .error("invalid_request", status: 500),
        ] as [Reply]
    )
    func backOff(_ failure: Reply) async throws {
        let replies = [Self.pending, failure, failure, failure, failure, failure, Self.pending, failure, .success]
        let result = try await Self.play(replies)
        #expect(result.polls == [5, 10, 20, 40, 80, 140, 200, 205, 215])
        #expect(result.outcome == "accepted")
    }

    @Test("Honors Retry-After and keeps a longer interval after a failure", .covers(106, 108))
    func retryAfter() async throws {
        let replies = [Reply.status(503, retryAfter: 100), Self.slowDown, .failure(.timedOut), Self.pending, .success]
        #expect(try await Self.play(replies).polls == [5, 105, 115, 135, 145])
    }

    @Test(
        "Stops polling and throws on a final error",
        .covers(109),
        arguments: [
            (.error("access_denied"), "OAuthError access_denied"),
            (.error("expired_token"), "OAuthError expired_token"),
            (.error("access_denied", status: 503), "OAuthError access_denied"),
            (.error("expired_token", status: 500), "OAuthError expired_token"),
            (.error("invalid_grant"), "OAuthError invalid_grant"), (.error("anything"), "OAuthError anything"),
            (.error("invalid_client", status: 401), "OAuthError invalid_client"),
            (.status(404), "HTTPStatusError 404"), (.status(302), "HTTPStatusError 302"),
            (.failure(.tls), "TransportError tls"), (.failure(.bodyTooLarge), "TransportError bodyTooLarge"),
        ] as [(Reply, String)]
    )
    func final(_ reply: Reply, _ expected: String) async throws {
        let result = try await Self.play([Self.pending, reply, .success])
        #expect(result.outcome == expected)
        #expect(result.polls == [5, 10])
    }

    @Test("Stops when the device code expires and sends no poll at that moment", .covers(109))
    func expiry() async throws {
        for reply in [Self.pending, .status(503), .failure(.timedOut)] {
            let result = try await Self.play([reply], lifetime: "20")
            #expect(result.outcome == "OAuthError expired_token")
            #expect(result.end == 20)
            #expect(result.polls.allSatisfy { $0 < 20 })
        }
        #expect(try await Self.play([Self.pending], lifetime: "20").polls == [5, 10, 15])
        let never = try await Self.play([.success], interval: "600", lifetime: "20")
        #expect(never.outcome == "OAuthError expired_token")
        #expect(never.polls.isEmpty)
        #expect(never.end == 20)
        let late = try await Self.play([Self.pending], lifetime: "20", replyTakes: 30)
        #expect(late.outcome == "OAuthError expired_token")
        #expect(late.polls == [5])
        let overflow = Reply.status(503, retryAfter: .max)
        #expect(try await Self.play([overflow], lifetime: "20").end == 20)
    }

    @Test("Limits each poll to the code's remaining lifetime and to one minute", .covers(108, 109))
    func deadlines() async throws {
        let grant = try DeviceAuthorizationTests.response(["expires_in": "70"]).grant
        let clock = TestClock()
        var runtime = OAuthRuntime.testing(transport: ScriptedTransport([]), clock: clock)
        runtime.clock = EagerClock(clock: clock)
        let deadlines = Mutex<[Duration]>([])
        _ = await eventualOutcome {
            try await grant.decision(runtime: runtime) { _, deadline in
                deadlines.withLock { $0.append(deadline) }
                clock.advance(by: .seconds(40))
                throw TransportError(.timedOut)
            }
        }
        #expect(deadlines.withLock { $0 } == [.seconds(60), .seconds(15)])
    }

    @Test("Sends no further poll after cancellation between two polls", .covers(111))
    func cancelled() async throws {
        let clock = TestClock()
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]), clock: clock)
        let grant = try DeviceAuthorizationTests.response().grant
        let count = Mutex(0)
        let task = Task {
            try await grant.decision(runtime: runtime) { _, _ -> String in
                count.withLock { $0 += 1 }
                throw OAuthError(.authorizationPending)
            }
        }
        await clock.sleeperCount(reaches: 1)
        clock.advance(by: .seconds(5))
        await clock.sleeperCount(reaches: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        clock.advance(by: .seconds(60))
        #expect(count.withLock { $0 } == 1)
        #expect(clock.sleeperCount == 0)
    }

    @Test("Discards tokens that arrive after cancellation during a poll", .covers(111))
    func lateSuccess() async throws {
        let gate = Gate()
        let clock = TestClock()
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]), clock: clock)
        let grant = try DeviceAuthorizationTests.response().grant
        let task = Task {
            try await grant.decision(runtime: runtime) { _, _ -> String in
                await gate.pass()
                return "tokens"
            }
        }
        await clock.sleeperCount(reaches: 1)
        clock.advance(by: .seconds(5))
        await gate.waitForArrival()
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "Polls over the transport with the device code and client ID until tokens arrive",
        .covers(106, 107)
    )
    func overTheNetwork() async throws {
        let pending = ScriptedResponse.json(#"{"error":"authorization_pending"}"#, status: .badRequest)
        let network = ScriptedTransport([pending, .status(.serviceUnavailable), .json(Example.response())])
        let clock = TestClock()
        var runtime = OAuthRuntime.testing(transport: network, clock: clock)
        runtime.clock = SelfAdvancingClock(moving: clock)
        let client = RegisteredClient(Example.client, metadata: try Example.metadata(), runtime: runtime)
        let tokens = try await client.tokens(for: try DeviceAuthorizationTests.response())
        #expect(tokens.accessToken == Secret("token"))
        #expect(clock.now.offset == .seconds(20))
        #expect(network.requests.count == 3)
        for request in network.requests {
            #expect(request.formValue("device_code") == "device")
            #expect(request.formValue("client_id") == "client")
        }
    }
}

/// A clock whose sleeps return immediately and advance the time.
private struct EagerClock: Clock {
    let clock: TestClock
    var now: TestClock.Instant { self.clock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        self.clock.advance(by: max(.zero, self.now.duration(to: deadline)))
    }
}
