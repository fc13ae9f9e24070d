// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// The clock of a simulated process, which advances only when nothing else can happen.
///
/// It measures the time since the start of the simulation, and includes the time that a machine is asleep.
public struct SimulatedClock: Clock {
    /// A time, as a duration since the start of the simulation.
    public struct Instant: InstantProtocol {
        /// The time since the start of the simulation.
        public let offset: Swift.Duration

        /// Returns a later time.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: self.offset + duration) }
        /// Returns the duration from this time to another one.
        public func duration(to other: Instant) -> Duration { other.offset - self.offset }
        /// Returns whether a time is earlier than another one.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    let scheduler: Scheduler
    let process: ProcessID?

    /// The current time.
    public var now: Instant { Instant(offset: .nanoseconds(self.scheduler.time)) }
    /// The resolution, which is zero because the clock is exact.
    public var minimumResolution: Duration { .zero }

    /// Suspends the task until a time.
    ///
    /// - Throws: `CancellationError` if the task is canceled or its process is killed.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        try Task.checkCancellation()
        try await self.scheduler.sleep(until: deadline.offset.nanoseconds, for: self.process)
    }
}
