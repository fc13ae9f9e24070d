// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraOAuth
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock that stands still until a test moves it, with a wall clock beside it that can jump by itself.
///
/// ``advance(by:)`` moves both; ``setWallClock(to:)`` moves only the date, as a person or a time server does. Nothing
/// sleeps for real. A test that wants to move the time *after* the code under test has gone to sleep first awaits
/// ``sleeperCount(reaches:)``.
public final class TestClock: Clock {
    /// A time since the clock's start.
    public struct Instant: InstantProtocol {
        /// How far from the start.
        public var offset: Duration

        /// A time at that distance from the start.
        public init(offset: Duration) { self.offset = offset }

        /// The time later by `duration`.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: self.offset + duration) }
        /// The time from this instant to the other; negative when the other is earlier.
        public func duration(to other: Instant) -> Duration { other.offset - self.offset }
        /// Whether the left one is earlier.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var date: Date
        var sleepers: [Sleeper] = []
        var nextID: UInt64 = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            let count = self.sleepers.count
            let ready = self.waiters.filter { $0.count <= count }
            self.waiters.removeAll { $0.count <= count }
            return ready.map(\.continuation)
        }
    }

    private let state: Mutex<State>

    /// A clock at its start, with the wall clock at `date` (by default 2023-11-14, 22:13:20 UTC).
    public init(date: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        self.state = Mutex(State(date: date))
    }

    /// The time since the start.
    public var now: Instant { self.state.withLock { $0.now } }
    /// The clock is exact.
    public var minimumResolution: Duration { .zero }
    /// The wall clock.
    public var date: Date { self.state.withLock { $0.date } }
    /// The wall clock, in the shape that `OAuthRuntime` takes.
    public var wallClock: @Sendable () -> Date { { self.date } }
    /// Nanoseconds since the start, in the shape that `OAuthRuntime` takes.
    public var uptime: @Sendable () -> Int64 {
        {
            let (seconds, attoseconds) = self.now.offset.components
            return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        }
    }
    /// How many tasks sleep now.
    public var sleeperCount: Int { self.state.withLock { $0.sleepers.count } }

    /// Moves the time, and the wall clock with it, and wakes whoever slept until then, the earliest first.
    public func advance(by duration: Duration) {
        let woken = self.state.withLock { state in
            state.now = state.now.advanced(by: duration)
            state.date += duration / .seconds(1)
            let now = state.now
            let due = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return due.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Moves only the wall clock, back or forth.
    public func setWallClock(to date: Date) { self.state.withLock { $0.date = date } }

    /// Returns when at least so many tasks sleep.
    public func sleeperCount(reaches count: Int) async {
        await withCheckedContinuation { continuation in
            let ready = self.state.withLock { state in
                state.waiters.append((count, continuation))
                return state.takeWaiters()
            }
            for waiter in ready { waiter.resume() }
        }
    }

    /// Sleeps until a test has moved the time to the deadline.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = self.state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.add(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            let sleeper = self.state.withLock { state in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func add(_ sleeper: Sleeper) {
        let (outcome, ready) = self.state.withLock {
            state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
            // Looked at under the lock: a cancellation after this finds the sleeper in the list.
            if Task.isCancelled { return (.failure(CancellationError()), []) }
            if sleeper.deadline <= state.now { return (.success(()), []) }
            state.sleepers.append(sleeper)
            return (nil, state.takeWaiters())
        }
        if let outcome { sleeper.continuation.resume(with: outcome) }
        for waiter in ready { waiter.resume() }
    }
}
