// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import BenchmarkStores
internal import Tessera
internal import TesseraCurl

/// Measures consecutive refreshes of several concurrent sessions with an in-memory store.
enum RefreshRate {
    /// Prints the refreshes per second and the processor time of each in microseconds.
    ///
    /// The provider is a loopback issuer with the token endpoint `/token`, or `instant` for a transport that responds
    /// immediately.
    static func measure(_ provider: String, sessions count: Int, duration: Duration) async throws {
        let isInstant = provider == "instant"
        let issuer = isInstant ? BenchmarkSession.issuer : provider
        let transport: any HTTPTransport =
            isInstant ? InstantTokenEndpoint() : CurlTransport(insecure: .loopbackHTTP)
        let store = InMemoryStore()
        let signIn = SignIn(
            try Accounts.record(0, issuer: issuer).provider,
            transport: transport,
            store: store,
            userAgent: NoUserAgent()
        )
        var sessions: [OAuthSession] = []
        for number in 0..<count {
            let record = try Accounts.record(number, issuer: issuer)
            try await store.update(record.account) { try await $0.save(record) }
            sessions.append(signIn.session(for: record))
        }
        let work = ProcessorTime.process
        let start = ContinuousClock.now
        let refreshes = try await withThrowingTaskGroup(of: Int.self) { group in
            for session in sessions {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now - start < duration {
                        try await session.refresh()
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        print("refreshes", Double(refreshes) / elapsed, (ProcessorTime.process - work) / 1_000 / Double(refreshes))
    }
}
