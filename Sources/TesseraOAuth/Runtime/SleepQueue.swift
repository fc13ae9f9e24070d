// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A clock's sleep for many tasks, of which only one really sleeps.
///
/// A cancelled sleep of the system's clock stays in memory with its task and its timer, about 700 bytes, until its time has
/// come. Nearly every deadline is cancelled, because the work ends before: a server that refreshes many sessions would
/// hold those of a whole minute.
package final class SleepQueue<SleepClock: Clock<Duration>>: Sendable {
    private struct Sleeper {
        let end: SleepClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var lastID: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        /// When the next task that really sleeps wakes up; nil where none sleeps.
        var wakesAt: SleepClock.Instant?
    }

    private let clock: SleepClock
    private let state = Mutex(State())

    package init(_ clock: SleepClock) { self.clock = clock }

    /// Sleeps until `end`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, immediately.
    package func sleep(until end: SleepClock.Instant) async throws {
        let id = self.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isCancelled, wake) = self.state.withLock { state -> (Bool, SleepClock.Instant?) in
                    // Looked at under the lock: a cancellation after this finds the sleeper.
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

    /// Starts a task that sleeps, and then resumes those whose time has come.
    private func wake(at end: SleepClock.Instant) {
        Task.detached {
            try? await self.clock.sleep(until: end, tolerance: nil)
            let (due, wake) = self.state.withLock { Self.wake(&$0, at: self.clock.now) }
            for sleeper in due { sleeper.continuation.resume() }
            if let wake { self.wake(at: wake) }
        }
    }

    /// Takes out the sleepers whose time has come, and returns the time until which another task has to sleep.
    private static func wake(_ state: inout State, at now: SleepClock.Instant) -> ([Sleeper], SleepClock.Instant?) {
        let due = state.sleepers.filter { $0.value.end <= now }
        for id in due.keys { state.sleepers[id] = nil }
        // Another task may sleep already, for a time that was earlier than this one's.
        if let wakesAt = state.wakesAt, wakesAt > now { return (Array(due.values), nil) }
        state.wakesAt = state.sleepers.values.map(\.end).min()
        return (Array(due.values), state.wakesAt)
    }
}
