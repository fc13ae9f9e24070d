// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A clock that nobody has to move: whoever sleeps less than a minute wakes at once, and the time has passed.
///
/// For loops that wait between their steps: polling, back-off. It moves a ``TestClock``, and sleeps on that one for a
/// minute and more, as deadlines do.
public struct ImpatientClock: Clock {
    /// The clock that is moved.
    public let clock: TestClock
    /// From here on a sleep is one on the moved clock.
    public static let patience: Duration = .seconds(60)

    /// A clock that moves another one.
    public init(moving clock: TestClock = TestClock()) { self.clock = clock }

    /// The time since the start.
    public var now: TestClock.Instant { self.clock.now }
    /// The clock is exact.
    public var minimumResolution: Duration { .zero }

    /// Moves the time to the deadline, or sleeps until somebody else does.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let duration = self.now.duration(to: deadline)
        if duration < Self.patience { return self.clock.advance(by: max(duration, .zero)) }
        try await self.clock.sleep(until: deadline, tolerance: tolerance)
    }
}
