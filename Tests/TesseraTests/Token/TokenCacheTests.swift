// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Token cache", .timeLimit(.minutes(1)))
struct TokenCacheTests {
    /// A token source with a clock in seconds, whose tokens are due after 80 seconds and expire after 100 seconds.
    private final class Source: Sendable {
        /// The clock that the cache reads.
        final class SharedClock: Sendable {
            private let time = Mutex<Int64>(0)
            var now: Int64 { self.time.withLock { $0 } }
            func advance(_ seconds: Int64) { self.time.withLock { $0 += seconds * 1_000_000_000 } }
        }

        private struct State {
            var reasons: [TokenCache<String>.Reason] = []
            var hold: Gate?
            var error: (any Error)?
            var result: String?
        }

        let cache: TokenCache<String>
        let clock: SharedClock
        private let state: Mutex<State>

        init(_ first: String? = "0", refreshesInBackground: Bool = true) {
            let clock = SharedClock()
            self.clock = clock
            self.state = Mutex(State())
            self.cache = TokenCache(uptime: { clock.now }, refreshesInBackground: { refreshesInBackground })
            if let first { self.cache.publish(self.current(first)) }
        }

        var reasons: [String] {
            self.state.withLock { state in
                state.reasons.map { reason in
                    switch reason {
                    case .expired: "expired"
                    case .due: "due"
                    case .refused(let token): "refused \(token)"
                    }
                }
            }
        }

        /// Holds operations until the gate is open.
        func hold() -> Gate {
            let gate = Gate()
            self.state.withLock { $0.hold = gate }
            return gate
        }

        func fail(_ error: (any Error)?) { self.state.withLock { $0.error = error } }

        /// Makes operations obtain this token.
        func obtain(_ token: String) { self.state.withLock { $0.result = token } }

        private func current(_ token: String) -> CurrentToken<String> {
            let now = self.clock.now
            return CurrentToken(token, dueAt: now + 80_000_000_000, expiredAt: now + 100_000_000_000)
        }

        @Sendable
        func operation(_ reason: TokenCache<String>.Reason) async throws -> String {
            let (hold, error, token) = self.state.withLock { state in
                state.reasons.append(reason)
                return (state.hold, state.error, state.result ?? "\(state.reasons.count)")
            }
            await hold?.pass()
            if let error { throw error }
            self.cache.publish(self.current(token), isReplacement: true)
            return token
        }

        func token() async throws -> String { try await self.cache.token(self.operation) }
        func refused(_ token: String) async throws -> String {
            try await self.cache.replacement(forRejected: token, self.operation)
        }
    }

    private struct Failure: Error {}

    @Test("Returns a fresh token without an operation")
    func fresh() async throws {
        let source = Source()
        source.clock.advance(79)
        #expect(source.cache.fresh == "0")
        #expect(try await source.token() == "0")
        #expect(source.reasons.isEmpty)
    }

    @Test(
        "Shares one operation among all callers if there is no valid token",
        .covers(112),
        arguments: [nil, "0"]
    )
    func expired(_ first: String?) async throws {
        let source = Source(first)
        source.clock.advance(100)
        #expect(source.cache.fresh == nil)
        let gate = source.hold()
        let tokens = await ConcurrentTasks.results(100) {
            try await source.token()
        } whenAllRun: {
            await gate.waitForArrival()
            gate.open()
        }
        #expect(try tokens.common() == "1")
        #expect(source.reasons == ["expired"])
    }

    @Test("Replaces a token that is due once in the background while callers use it")
    func background() async throws {
        let source = Source()
        source.clock.advance(80)
        let gate = source.hold()
        #expect(source.cache.fresh == nil)
        #expect(try await source.token() == "0")
        await gate.waitForArrival()
        #expect(try await source.token() == "0")
        gate.open()
        await source.cache.settle()
        #expect(try await source.token() == "1")
        #expect(source.reasons == ["due"])
    }

    @Test("Returns a token until it expires if background refreshes are disabled")
    func withoutBackground() async throws {
        let source = Source(refreshesInBackground: false)
        source.clock.advance(99)
        #expect(try await source.token() == "0")
        await source.cache.settle()
        #expect(source.reasons.isEmpty)
        source.clock.advance(1)
        #expect(try await source.token() == "1")
    }

    @Test("Retries a failed background operation after 5 and then 10 seconds", .covers(114))
    func failingBackground() async throws {
        let source = Source()
        source.fail(Failure())
        source.clock.advance(80)
        var counts: [Int] = []
        for _ in 0..<17 {
            #expect(try await source.token() == "0")
            await source.cache.settle()
            counts.append(source.reasons.count)
            source.clock.advance(1)
        }
        #expect(counts == Array(repeating: 1, count: 5) + Array(repeating: 2, count: 10) + [3, 3])
    }

    @Test("Reports a failure to the waiting callers, and starts a new operation for the next one")
    func failure() async throws {
        let source = Source(nil)
        source.fail(Failure())
        await #expect(throws: Failure.self) { try await source.token() }
        source.fail(nil)
        #expect(try await source.token() == "2")
    }

    @Test("Lets a canceled caller stop waiting while the operation continues", .covers(113))
    func cancellation() async throws {
        let source = Source(nil)
        let gate = source.hold()
        let caller = Task { try await source.token() }
        await gate.waitForArrival()
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        gate.open()
        await source.cache.settle()
        #expect(source.cache.fresh == "1")
        #expect(source.reasons == ["expired"])
    }

    @Test("Replaces a rejected token once, however many callers reject it", .covers(112))
    func refusal() async throws {
        let source = Source()
        let gate = source.hold()
        let tokens = await ConcurrentTasks.results(100) {
            try await source.refused("0")
        } whenAllRun: {
            await gate.waitForArrival()
            gate.open()
        }
        #expect(try tokens.common() == "1")
        #expect(try await source.refused("0") == "1")
        #expect(source.reasons == ["refused 0"])
    }

    @Test("Does not replace a rejected replacement for 10 seconds", .covers(117))
    func pause() async throws {
        let source = Source()
        #expect(try await source.refused("0") == "1")
        source.clock.advance(9)
        #expect(try await source.refused("1") == "1")
        source.clock.advance(1)
        #expect(try await source.refused("1") == "2")
        #expect(source.reasons == ["refused 0", "refused 1"])
    }

    @Test("Continues the pause if the same token is published again")
    func pauseOfSameToken() async throws {
        let source = Source()
        #expect(try await source.refused("0") == "1")
        source.cache.publish(source.cache.current)
        #expect(try await source.refused("1") == "1")
    }

    @Test("Does not apply the pause to a token from another source")
    func pauseOfAnotherToken() async throws {
        let source = Source()
        #expect(try await source.refused("0") == "1")
        source.cache.publish(CurrentToken("other", dueAt: .max, expiredAt: .max))
        #expect(try await source.refused("other") == "2")
    }

    @Test("Runs one operation if it obtains the rejected token again")
    func sameToken() async throws {
        let source = Source()
        source.obtain("0")
        #expect(try await source.refused("0") == "0")
        #expect(source.reasons == ["refused 0"])
    }

    @Test("Replaces a token that expires before the requested validity, even repeatedly")
    func validity() async throws {
        let source = Source()
        let first = try await source.cache.token(validFor: .seconds(100), source.operation)
        #expect(first == "0")
        #expect(source.reasons.isEmpty)
        source.clock.advance(1)
        let second = try await source.cache.token(validFor: .seconds(100), source.operation)
        #expect(second == "1")
        let third = try await source.cache.token(validFor: .seconds(101), source.operation)
        #expect(third == "2")
    }

    @Test(
        "Returns a token that was published after that of an operation, or replaces it if it has expired",
        .covers(112),
        arguments: [(100, "newer"), (0, "2")]
    )
    func overtaken(expiredAt: Int64, expected: String) async throws {
        let source = Source(nil)
        let token = try await source.cache.token { reason in
            let token = try await source.operation(reason)
            if token == "1" {
                source.cache.publish(CurrentToken("newer", dueAt: expiredAt, expiredAt: expiredAt))
            }
            return token
        }
        #expect(token == expected)
        #expect(source.cache.current?.token == expected)
    }

    @Test("Runs the operation for each caller after the source has ended")
    func ended() async throws {
        let source = Source()
        source.cache.publish(nil)
        source.fail(Failure())
        #expect(source.cache.fresh == nil)
        await #expect(throws: Failure.self) { try await source.token() }
        await #expect(throws: Failure.self) { try await source.refused("0") }
    }
}
