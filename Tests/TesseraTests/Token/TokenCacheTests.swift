// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("A token cache", .timeLimit(.minutes(1)))
struct TokenCacheTests {
    /// A cache by a clock in seconds, whose tokens are due after 80 seconds and expire after 100.
    private final class Source: Sendable {
        /// The time, which the cache reads.
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

        /// Holds operations back until the gate is open.
        func hold() -> Gate {
            let gate = Gate()
            self.state.withLock { $0.hold = gate }
            return gate
        }

        func fail(_ error: (any Error)?) { self.state.withLock { $0.error = error } }

        /// From now on operations obtain this token.
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
        func refused(_ token: String) async throws -> String { try await self.cache.refused(token, self.operation) }
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
        "Without a token, and with an expired one, all callers share one operation",
        .covers(112),
        arguments: [nil, "0"]
    )
    func expired(_ first: String?) async throws {
        let source = Source(first)
        source.clock.advance(100)
        #expect(source.cache.fresh == nil)
        let gate = source.hold()
        let tokens = await Crowd.results(100) {
            try await source.token()
        } whenAllRun: {
            await gate.arrival()
            gate.open()
        }
        #expect(try tokens.common() == "1")
        #expect(source.reasons == ["expired"])
    }

    @Test("A token that is due is replaced in the background, once, while callers continue with it")
    func background() async throws {
        let source = Source()
        source.clock.advance(80)
        let gate = source.hold()
        #expect(source.cache.fresh == nil)
        #expect(try await source.token() == "0")
        await gate.arrival()
        #expect(try await source.token() == "0")
        gate.open()
        await source.cache.settle()
        #expect(try await source.token() == "1")
        #expect(source.reasons == ["due"])
    }

    @Test("Where the source does not refresh in the background, a token that is due is returned until it expires")
    func withoutBackground() async throws {
        let source = Source(refreshesInBackground: false)
        source.clock.advance(99)
        #expect(try await source.token() == "0")
        await source.cache.settle()
        #expect(source.reasons.isEmpty)
        source.clock.advance(1)
        #expect(try await source.token() == "1")
    }

    @Test("An operation in the background that fails is repeated after 5 and then 10 seconds", .covers(114))
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

    @Test("A failure reaches the callers that wait, and the next caller starts another operation")
    func failure() async throws {
        let source = Source(nil)
        source.fail(Failure())
        await #expect(throws: Failure.self) { try await source.token() }
        source.fail(nil)
        #expect(try await source.token() == "2")
    }

    @Test("A cancelled caller stops waiting, and the operation continues", .covers(113))
    func cancellation() async throws {
        let source = Source(nil)
        let gate = source.hold()
        let caller = Task { try await source.token() }
        await gate.arrival()
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        gate.open()
        await source.cache.settle()
        #expect(source.cache.fresh == "1")
        #expect(source.reasons == ["expired"])
    }

    @Test("A rejected token is replaced once, however many callers reject it", .covers(112))
    func refusal() async throws {
        let source = Source()
        let gate = source.hold()
        let tokens = await Crowd.results(100) {
            try await source.refused("0")
        } whenAllRun: {
            await gate.arrival()
            gate.open()
        }
        #expect(try tokens.common() == "1")
        #expect(try await source.refused("0") == "1")
        #expect(source.reasons == ["refused 0"])
    }

    @Test("A token that has just replaced another one is not replaced for 10 seconds", .covers(117))
    func pause() async throws {
        let source = Source()
        #expect(try await source.refused("0") == "1")
        source.clock.advance(9)
        #expect(try await source.refused("1") == "1")
        source.clock.advance(1)
        #expect(try await source.refused("1") == "2")
        #expect(source.reasons == ["refused 0", "refused 1"])
    }

    @Test("The pause continues where the same token is published again")
    func pauseOfSameToken() async throws {
        let source = Source()
        #expect(try await source.refused("0") == "1")
        source.cache.publish(source.cache.current)
        #expect(try await source.refused("1") == "1")
    }

    @Test("The pause does not apply to a token that came another way")
    func pauseOfAnotherToken() async throws {
        let source = Source()
        #expect(try await source.refused("0") == "1")
        source.cache.publish(CurrentToken("other", dueAt: .max, expiredAt: .max))
        #expect(try await source.refused("other") == "2")
    }

    @Test("An operation that obtains the rejected token again runs once")
    func sameToken() async throws {
        let source = Source()
        source.obtain("0")
        #expect(try await source.refused("0") == "0")
        #expect(source.reasons == ["refused 0"])
    }

    @Test("A token that expires before the required time is replaced, also where the next one does not live as long")
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

    @Test("Without a token after its source has ended, each caller hears from the operation")
    func ended() async throws {
        let source = Source()
        source.cache.publish(nil)
        source.fail(Failure())
        #expect(source.cache.fresh == nil)
        await #expect(throws: Failure.self) { try await source.token() }
        await #expect(throws: Failure.self) { try await source.refused("0") }
    }
}
