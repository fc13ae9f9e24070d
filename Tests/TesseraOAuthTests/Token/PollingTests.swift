// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Polling for a decision")
struct PollingTests {
    /// What the token endpoint does at one question.
    enum Reply: Sendable {
        case error(String, status: Int = 400, retryAfter: Int? = nil)
        case status(Int, retryAfter: Int? = nil)
        case failure(TransportError.Code)
        case success

        func answer() throws -> String {
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

    /// Plays replies, the last one for ever, and gives the seconds of the questions, the second and the way of the end.
    static func play(
        _ replies: [Reply],
        interval: String = "",
        lifetime: String = "1800",
        answeringTakes seconds: Int64 = 0
    ) async throws -> (questions: [Int64], end: Int64, outcome: String) {
        let grant = try DeviceAuthorizationTests.answer(["interval": interval, "expires_in": lifetime]).grant
        let clock = TestClock()
        var runtime = OAuthRuntime.testing(transport: ScriptedTransport([]), clock: clock)
        runtime.clock = EagerClock(clock: clock)
        let questions = Mutex<[Int64]>([])
        let outcome = await eventualOutcome {
            try await grant.decision(runtime: runtime) { request, _ in
                #expect(request.grantType == "urn:ietf:params:oauth:grant-type:device_code")
                let number = questions.withLock { questions in
                    questions.append(clock.now.offset.components.seconds)
                    return questions.count
                }
                clock.advance(by: .seconds(seconds))
                return try replies[min(number, replies.count) - 1].answer()
            }
        }
        return (questions.withLock { $0 }, clock.now.offset.components.seconds, outcome)
    }

    @Test("Goes on while nobody has decided, an interval after each answer, the first question too", .covers(106, 107))
    func pace() async throws {
        let result = try await Self.play([Self.pending, Self.pending, .success])
        #expect(result.questions == [5, 10, 15])
        #expect(result.outcome == "accepted")
        let slow = try await Self.play([Self.pending, Self.pending, .success], interval: "7", answeringTakes: 20)
        #expect(slow.questions == [7, 34, 61])
        #expect(slow.outcome == "accepted")
        let hasty = try await Self.play([Self.pending, Self.pending, .success], interval: "0")
        #expect(hasty.questions == [1, 2, 3])
    }

    @Test("slow_down makes the interval 5 seconds longer, for good and each time", .covers(106))
    func slowDown() async throws {
        let replies = [Self.pending, Self.slowDown, Self.pending, Self.slowDown, Self.pending, .success]
        #expect(try await Self.play(replies).questions == [5, 10, 20, 30, 45, 60])
        let busy = [Reply.error("slow_down", status: 429, retryAfter: 30), Self.pending, .success]
        #expect(try await Self.play(busy).questions == [5, 35, 45])
    }

    @Test(
        "A network or a server that fails doubles the wait, up to a minute, until the next answer",
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
        #expect(result.questions == [5, 10, 20, 40, 80, 140, 200, 205, 215])
        #expect(result.outcome == "accepted")
    }

    @Test("Retry-After is waited for, and a slower interval stays after a failure", .covers(106, 108))
    func retryAfter() async throws {
        let replies = [Reply.status(503, retryAfter: 100), Self.slowDown, .failure(.timedOut), Self.pending, .success]
        #expect(try await Self.play(replies).questions == [5, 105, 115, 135, 145])
    }

    @Test(
        "A no is an error every time, and nothing is asked after it",
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
        #expect(result.questions == [5, 10])
    }

    @Test("Ends when the code does, whatever the provider says, and asks nothing at that time", .covers(109))
    func expiry() async throws {
        for reply in [Self.pending, .status(503), .failure(.timedOut)] {
            let result = try await Self.play([reply], lifetime: "20")
            #expect(result.outcome == "OAuthError expired_token")
            #expect(result.end == 20)
            #expect(result.questions.allSatisfy { $0 < 20 })
        }
        #expect(try await Self.play([Self.pending], lifetime: "20").questions == [5, 10, 15])
        let never = try await Self.play([.success], interval: "600", lifetime: "20")
        #expect(never.outcome == "OAuthError expired_token")
        #expect(never.questions.isEmpty)
        #expect(never.end == 20)
        let late = try await Self.play([Self.pending], lifetime: "20", answeringTakes: 30)
        #expect(late.outcome == "OAuthError expired_token")
        #expect(late.questions == [5])
        let overflow = Reply.status(503, retryAfter: .max)
        #expect(try await Self.play([overflow], lifetime: "20").end == 20)
    }

    @Test("A question may take as long as the code lives, and never longer than a minute", .covers(108, 109))
    func deadlines() async throws {
        let grant = try DeviceAuthorizationTests.answer(["expires_in": "70"]).grant
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

    @Test("Cancelled between two questions, it asks no more", .covers(111))
    func cancelled() async throws {
        let clock = TestClock()
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]), clock: clock)
        let grant = try DeviceAuthorizationTests.answer().grant
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

    @Test("Cancelled during a question, it gives no tokens even if they come", .covers(111))
    func lateSuccess() async throws {
        let gate = Gate()
        let clock = TestClock()
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]), clock: clock)
        let grant = try DeviceAuthorizationTests.answer().grant
        let task = Task {
            try await grant.decision(runtime: runtime) { _, _ -> String in
                await gate.pass()
                return "tokens"
            }
        }
        await clock.sleeperCount(reaches: 1)
        clock.advance(by: .seconds(5))
        await gate.arrival()
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "Over the whole network: one question at a time, with the device code and the client's name",
        .covers(106, 107)
    )
    func overTheNetwork() async throws {
        let pending = ScriptedAnswer.json(#"{"error":"authorization_pending"}"#, status: .badRequest)
        let network = ScriptedTransport([pending, .status(.serviceUnavailable), .json(Example.answer())])
        let clock = TestClock()
        var runtime = OAuthRuntime.testing(transport: network, clock: clock)
        runtime.clock = ImpatientClock(moving: clock)
        let client = RegisteredClient(Example.client, metadata: try Example.metadata(), runtime: runtime)
        let tokens = try await client.tokens(for: try DeviceAuthorizationTests.answer())
        #expect(tokens.accessToken == Secret("token"))
        #expect(clock.now.offset == .seconds(20))
        #expect(network.requests.count == 3)
        for request in network.requests {
            #expect(request.formValue("device_code") == "device")
            #expect(request.formValue("client_id") == "client")
        }
    }
}

/// A clock on which every sleep is over at once and has moved the time.
private struct EagerClock: Clock {
    let clock: TestClock
    var now: TestClock.Instant { self.clock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        self.clock.advance(by: max(.zero, self.now.duration(to: deadline)))
    }
}
