// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import Synchronization
internal import Tessera

/// Measures `accessToken()` with a fresh token on one thread, which is the most frequent case.
enum FreshToken {
    static func measure(count: Int) async throws {
        let session = try await BenchmarkSession.make(transport: NoTransport())
        let executor = CountingExecutor()
        let figures = try await Task(executorPreference: executor) { () -> (Double, Double, UInt64?, Int) in
            try await Self.loop(session, count / 10)
            let jobs = executor.jobs
            let allocations = Allocations.count
            let start = ProcessorTime.thread
            try await Self.loop(session, count)
            let duration = ProcessorTime.thread - start
            let allocated = Allocations.count.flatMap { now in allocations.map { now - $0 } }
            let suspensions = executor.jobs - jobs
            return (duration / Double(count), try Self.floor(count), allocated, suspensions)
        }
        .value
        print("fresh_token_ns", figures.0)
        print("floor_ns", figures.1)
        print("fresh_token_suspensions", figures.3)
        print("fresh_token_allocations", figures.2.map(String.init) ?? "unknown")
    }

    @inline(never)
    private static func loop(_ session: OAuthSession, _ count: Int) async throws {
        for _ in 0..<count {
            withExtendedLifetime(try await session.accessToken()) {}
        }
    }

    /// Measures the minimum work of such a call: reading the clock and a reference protected by a mutex.
    private static func floor(_ count: Int) throws -> Double {
        final class Box: Sendable {}
        let current = Mutex<(token: Box, expiredAt: Int64)>((Box(), .max))
        let uptime = OAuthRuntime(transport: NoTransport()).uptime
        let start = ProcessorTime.thread
        for _ in 0..<count {
            let now = uptime()
            let token = current.withLock { now < $0.expiredAt ? $0.token : nil }
            withExtendedLifetime(token) {}
        }
        return (ProcessorTime.thread - start) / Double(count)
    }
}
