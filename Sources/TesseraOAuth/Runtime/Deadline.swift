// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Runs work against a clock.
package enum Deadline {
    /// How late the clock wakes at least if the process was suspended.
    private static let suspension = Duration.seconds(5)
    /// What the work has left after a suspension: its response may wait in the socket.
    private static let grace = Duration.seconds(5)

    /// The result of `work`, or ``TransportError`` `timedOut` after `limit`; the work is cancelled then.
    ///
    /// If the process was suspended until after the limit, the work has 5 seconds more. Otherwise a response that has
    /// arrived, with a rotated refresh token in it, would be lost to the timer.
    package static func run<Value: Sendable>(
        _ limit: Duration,
        clock: some Clock<Duration>,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let end = clock.now.advanced(by: limit)
        return try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Self.sleep(until: end, clock)
                if end.duration(to: clock.now) >= Self.suspension { try await clock.sleep(for: Self.grace) }
                throw TransportError(.timedOut)
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}

extension Deadline {
    private static let queue = SleepQueue(ContinuousClock())

    private static func sleep<SleepClock: Clock>(until end: SleepClock.Instant, _ clock: SleepClock) async throws {
        // The queue's task may not run while callers block all cooperative threads, and wait for work on others.
        guard clock is ContinuousClock, let end = end as? ContinuousClock.Instant, !TaskThreads.areChosen else {
            return try await clock.sleep(until: end, tolerance: nil)
        }
        try await Self.queue.sleep(until: end)
    }
}

extension Duration {
    /// Whole nanoseconds, clamped to what fits.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min / 4 : .max / 4 }
        return min(max(product, .min / 4), .max / 4) + attoseconds / 1_000_000_000
    }
}
