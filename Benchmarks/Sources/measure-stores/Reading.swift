// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import BenchmarkStores
internal import Tessera

/// Measures restoring a session and loading a record from a large store.
enum Reading {
    /// Measures `restore()` of one session, each time with a new `SignIn` and a new store.
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

    /// Measures loading scattered records in sequence from an open store.
    static func load(_ name: String, of total: Int, count: Int) async throws {
        let store = try NamedStore.open(name)
        var times: [Double] = []
        for turn in 0..<(count + count / 10) {
            // Each record is far from the previous one, and all records are read once before any is read twice.
            let account = Accounts.account(turn * 7_919 % total)
            let start = ContinuousClock.now
            guard try await store.load(account) != nil else { throw SessionEndedError(.signedOut) }
            if turn >= count / 10 { times.append((ContinuousClock.now - start) / .microseconds(1)) }
        }
        print("load_us", Percentile.of(times, 0.5), Percentile.of(times, 0.99))
    }
}
