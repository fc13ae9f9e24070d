// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A time limit for asynchronous work.
package enum Deadline {
    /// The additional time after a suspension, because the response may already be in the socket.
    private static let grace = Duration.seconds(5)
    /// The number of suspensions for which there is additional time.
    ///
    /// On a computer that is busy, timers are always late.
    private static let suspensions = 3
    /// How late a timer may fire.
    ///
    /// If it is later, the process is assumed to have been suspended. The tolerance lets the system combine timers, and
    /// tells a test's clock that this sleep is a time limit.
    private static let tolerance = Duration.milliseconds(50)

    /// Returns the result of `work`, or cancels it after `limit` and throws ``TransportError`` with `timedOut`.
    ///
    /// If the process was suspended past the limit, the work has 5 more seconds, up to three times. Without that time, the
    /// timer could discard a response that has already arrived, along with a rotated refresh token.
    package static func run<Value: Sendable>(
        _ limit: Duration,
        clock: some Clock<Duration>,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let end = clock.now.advanced(by: limit)
        return try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                var end = end
                for _ in 0...Self.suspensions {
                    try await Self.sleep(until: end, clock)
                    guard end.duration(to: clock.now) > Self.tolerance else { break }
                    end = clock.now.advanced(by: Self.grace)
                }
                throw TransportError(.timedOut)
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}

extension Deadline {
    private static let queue = SleepQueue(ContinuousClock(), tolerance: Self.tolerance)

    private static func sleep<Timer: Clock<Duration>>(until end: Timer.Instant, _ clock: Timer) async throws {
        // Callers can block all cooperative threads while they wait for work on an executor. In that case, the queue's
        // task would not run.
        guard clock is ContinuousClock, let end = end as? ContinuousClock.Instant, !TaskExecutorInheritance.isActive
        else {
            return try await clock.sleep(until: end, tolerance: Self.tolerance)
        }
        try await Self.queue.sleep(until: end)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to the range of a 64-bit integer with a margin for additions.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min / 4 : .max / 4 }
        return min(max(product, .min / 4), .max / 4) + attoseconds / 1_000_000_000
    }
}
