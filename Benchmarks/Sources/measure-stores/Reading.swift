// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import BenchmarkStores
internal import Tessera

/// How long it takes to have a session again, and to read a record among many.
enum Reading {
    /// `restore()` of one session, each time by a sign-in and a store that were just made.
    static func restore(_ name: String, count: Int) async throws {
        let store = try NamedStore.open(name)
        try await Accounts.save(0..<1, in: store)
        let account = Accounts.account(0)
        let provider = try Accounts.record(0).provider
        var times: [Double] = []
        for _ in 0..<count {
            let fresh = name == "memory:" ? store : try NamedStore.open(name)
            let start = ContinuousClock.now
            let signIn = SignIn(provider, transport: NoTransport(), store: fresh, userAgent: NoUserAgent())
            guard try await signIn.restore(account) != nil else { throw SessionEndedError(.signedOut) }
            times.append((ContinuousClock.now - start) / .microseconds(1))
        }
        print("restore_us", Percentile.of(times, 0.5), Percentile.of(times, 0.99))
    }

    /// Loads scattered records, one after the other, by a store that is in use.
    static func load(_ name: String, of total: Int, count: Int) async throws {
        let store = try NamedStore.open(name)
        var times: [Double] = []
        for turn in 0..<(count + count / 10) {
            // Far from the one before, and each once before any is read twice.
            let account = Accounts.account(turn * 7_919 % total)
            let start = ContinuousClock.now
            guard try await store.load(account) != nil else { throw SessionEndedError(.signedOut) }
            if turn >= count / 10 { times.append((ContinuousClock.now - start) / .microseconds(1)) }
        }
        print("load_us", Percentile.of(times, 0.5), Percentile.of(times, 0.99))
    }
}
