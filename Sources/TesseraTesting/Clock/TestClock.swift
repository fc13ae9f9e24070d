// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraOAuth
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock that advances only when a test advances it, with a wall clock that can be set separately.
///
/// ``advance(by:)`` advances both clocks. ``setWallClock(to:)`` changes only the date, as a user or a time server
/// would. No task sleeps in real time. To advance the clock after the code under test has gone to sleep, first await
/// ``sleeperCount(reaches:)``.
public final class TestClock: Clock {
    /// A point in time relative to the clock's start.
    public struct Instant: InstantProtocol {
        /// The time since the start.
        public var offset: Duration

        /// Creates an instant with an offset from the start.
        public init(offset: Duration) { self.offset = offset }

        /// Returns the instant that is `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: self.offset + duration) }
        /// Returns the time from this instant to another one.
        ///
        /// The time is negative if the other instant is earlier.
        public func duration(to other: Instant) -> Duration { other.offset - self.offset }
        /// Returns whether the left instant is earlier than the right one.
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

    /// Creates a clock whose wall clock starts at `date`, which defaults to 2023-11-14, 22:13:20 UTC.
    public init(date: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        self.state = Mutex(State(date: date))
    }

    /// The time since the clock's start.
    public var now: Instant { self.state.withLock { $0.now } }
    /// The minimum resolution, which is zero because the clock is exact.
    public var minimumResolution: Duration { .zero }
    /// The wall-clock time.
    public var date: Date { self.state.withLock { $0.date } }
    /// A function that returns the wall-clock time, for use with `OAuthRuntime`.
    public var wallClock: @Sendable () -> Date { { self.date } }
    /// A function that returns the nanoseconds since the start, for use with `OAuthRuntime`.
    public var uptime: @Sendable () -> Int64 {
        {
            let (seconds, attoseconds) = self.now.offset.components
            return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        }
    }
    /// The number of tasks that are sleeping.
    public var sleeperCount: Int { self.state.withLock { $0.sleepers.count } }

    /// Advances both clocks and resumes the tasks that are due, in order of their deadlines.
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

    /// Sets only the wall clock, forward or backward.
    public func setWallClock(to date: Date) { self.state.withLock { $0.date = date } }

    /// Waits until at least `count` tasks are sleeping.
    public func sleeperCount(reaches count: Int) async {
        await withCheckedContinuation { continuation in
            let ready = self.state.withLock { state in
                state.waiters.append((count, continuation))
                return state.takeWaiters()
            }
            for waiter in ready { waiter.resume() }
        }
    }

    /// Sleeps until a test advances the clock to the deadline.
    ///
    /// - Throws: `CancellationError` if the task is canceled.
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
            // Check while holding the lock, so that a later cancellation finds the sleeper in the list.
            if Task.isCancelled { return (.failure(CancellationError()), []) }
            if sleeper.deadline <= state.now { return (.success(()), []) }
            state.sleepers.append(sleeper)
            return (nil, state.takeWaiters())
        }
        if let outcome { sleeper.continuation.resume(with: outcome) }
        for waiter in ready { waiter.resume() }
    }
}
