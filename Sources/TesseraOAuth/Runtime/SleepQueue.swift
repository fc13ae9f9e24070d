// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A queue that combines many tasks' sleeps into a single sleep of the clock.
///
/// The system's clock retains a canceled sleep with its task and timer, about 700 bytes, until its end time. Most
/// deadlines are canceled because their work ends earlier. Without the queue, a server that refreshes many sessions
/// would retain a whole minute's worth of sleeps.
package final class SleepQueue<SleepClock: Clock<Duration>>: Sendable {
    private struct Sleeper {
        let end: SleepClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var lastID: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        /// The time when the clock's next sleep ends, or nil if the clock is not in use.
        var wakesAt: SleepClock.Instant?
    }

    private let clock: SleepClock
    private let tolerance: Duration
    private let state = Mutex(State())

    /// Creates a queue whose sleeps end at most `tolerance` late, unless the system is busy.
    package init(_ clock: SleepClock, tolerance: Duration) { (self.clock, self.tolerance) = (clock, tolerance) }

    /// Sleeps until `end`.
    ///
    /// - Throws: `CancellationError` as soon as the task is canceled.
    package func sleep(until end: SleepClock.Instant) async throws {
        let id = self.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isCancelled, wake) = self.state.withLock { state -> (Bool, SleepClock.Instant?) in
                    // Check under the lock, so that a later cancellation finds the sleeper.
                    if Task.isCancelled { return (true, nil) }
                    state.sleepers[id] = Sleeper(end: end, continuation: continuation)
                    if let wakesAt = state.wakesAt, wakesAt <= end { return (false, nil) }
                    state.wakesAt = end
                    return (false, end)
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                if let wake { self.wake(at: wake) }
            }
        } onCancel: {
            let sleeper = self.state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Starts a task that sleeps until `end` and then resumes all sleepers that are due.
    private func wake(at end: SleepClock.Instant) {
        Task.detached {
            try? await self.clock.sleep(until: end, tolerance: self.tolerance)
            let (due, wake) = self.state.withLock { Self.wake(&$0, at: self.clock.now) }
            for sleeper in due { sleeper.continuation.resume() }
            if let wake { self.wake(at: wake) }
        }
    }

    /// Removes the sleepers that are due and returns them, along with the end time of the next sleep if one must be
    /// started.
    private static func wake(_ state: inout State, at now: SleepClock.Instant) -> ([Sleeper], SleepClock.Instant?) {
        let due = state.sleepers.filter { $0.value.end <= now }
        for id in due.keys { state.sleepers[id] = nil }
        // Another task may already be sleeping until an earlier time.
        if let wakesAt = state.wakesAt, wakesAt > now { return (Array(due.values), nil) }
        state.wakesAt = state.sleepers.values.map(\.end).min()
        return (Array(due.values), state.wakesAt)
    }
}
