// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import BenchmarkSession
internal import BenchmarkStores
internal import Synchronization
internal import Tessera
internal import TesseraOAuth

/// Measures consecutive refreshes with a provider that responds immediately, so that the store dominates the time.
enum Refreshing {
    /// Prints the number of refreshes per second.
    static func measure(_ name: String, accounts: Range<Int>, duration: Duration) async throws {
        let store = try NamedStore.open(name)
        let (sessions, expire) = try await Self.sessions(of: accounts, in: store)
        let start = ContinuousClock.now
        var count = 0
        while ContinuousClock.now - start < duration {
            if count.isMultiple(of: sessions.count) { expire() }
            _ = try await sessions[count % sessions.count].accessToken()
            count += 1
        }
        print("refreshes", Double(count) / ((ContinuousClock.now - start) / .seconds(1)))
    }

    /// Prints how long a rotated token exists only in memory: from the provider's response to the end of the save.
    static func window(_ name: String, count: Int) async throws {
        let store = TimedStore(base: try NamedStore.open(name))
        try await Accounts.save(0..<1, in: store)
        let (sessions, expire) = try await Self.sessions(of: 0..<1, in: store)
        for _ in 0..<count {
            expire()
            _ = try await sessions[0].accessToken()
        }
        // Omit the first save, which belongs to the sign-in.
        let times = Array(store.windows.withLock { $0 }.dropFirst())
        print("window_us", Percentile.of(times, 0.5), Percentile.of(times, 0.99))
    }

    /// Returns the sessions of the given accounts and a function that makes their tokens expire.
    static func sessions(
        of accounts: Range<Int>,
        in store: any SessionStore
    ) async throws -> ([OAuthSession], expire: () -> Void) {
        // Tokens are valid for an hour, and each call of `expire` advances the clock by two hours.
        let elapsed = Elapsed()
        let runtime = OAuthRuntime(
            transport: InstantTokenEndpoint(),
            now: { Date().addingTimeInterval(Double(elapsed.seconds.withLock { $0 })) },
            uptime: { elapsed.seconds.withLock { $0 } * 1_000_000_000 },
            clock: ContinuousClock(),
            randomBytes: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
        )
        let signIn = SignIn(try Accounts.record(0).provider, runtime: runtime, store: store, userAgent: NoUserAgent())
        var sessions: [OAuthSession] = []
        for number in accounts {
            if let session = try await signIn.restore(Accounts.account(number)) { sessions.append(session) }
        }
        return (sessions, { elapsed.seconds.withLock { $0 += 7_200 } })
    }

    private final class Elapsed: Sendable {
        let seconds = Mutex<Int64>(0)
    }
}
