// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The time of a simulation and the order of everything that happens in it.
///
/// All jobs run on one thread. While jobs are ready, the seed chooses the next one, and no time passes. If none is
/// ready, the time advances to the next timer. A job that waits for a thread is not ready.
final class Scheduler: Sendable {
    /// An operation that is due at a time.
    fileprivate struct Timer {
        var time: Int64
        let id: UInt64
        let process: ProcessID?
        /// Whether the timer waits for the end of its process's pause.
        let isHeld: Bool
        let fire: @Sendable (_ isDue: Bool) -> Void
    }

    private struct State {
        var random: SeededGenerator
        /// The random numbers that decide which jobs wait for a thread.
        var threads: SeededGenerator
        /// The probability that a job waits for a thread, in percent.
        var waiting = 0
        var time: Int64 = 0
        var ready: [UnownedJob] = []
        var lastTimer: UInt64 = 0
        var timers = Heap()
        var killed: Set<ProcessID> = []
        /// The times at which the pauses of processes end.
        var pauses: [ProcessID: Int64] = [:]
        var hasEscaped = false

        mutating func add(
            at time: Int64,
            for process: ProcessID? = nil,
            isHeld: Bool = false,
            _ fire: @escaping @Sendable (_ isDue: Bool) -> Void
        ) -> UInt64 {
            self.lastTimer += 1
            self.timers.insert(
                Timer(time: max(time, self.time), id: self.lastTimer, process: process, isHeld: isHeld, fire: fire)
            )
            return self.lastTimer
        }

        /// Returns when the pause that holds back a timer ends, or nil if the timer can fire.
        func pause(of timer: Timer) -> Int64? {
            guard timer.isHeld, let process = timer.process, let end = self.pauses[process],
                end > max(self.time, timer.time)
            else { return nil }
            return end
        }
    }

    /// The longest time for which a job waits for a thread, in nanoseconds.
    private static let longestWait: Int64 = 300_000_000

    private let state: Mutex<State>
    private let thread = ThreadIdentity.current

    init(random: SeededGenerator, threads: SeededGenerator) {
        self.state = Mutex(State(random: random, threads: threads))
    }

    /// The time since the simulation's start, in nanoseconds.
    var time: Int64 { self.state.withLock { $0.time } }

    /// Whether a job was enqueued by another thread, so that something in the simulation depends on the real world.
    var hasEscaped: Bool { self.state.withLock { $0.hasEscaped } }

    /// Adds a job that is ready to run, or waits for a thread.
    func enqueue(_ job: UnownedJob) {
        self.state.withLock { state in
            if ThreadIdentity.current != self.thread { state.hasEscaped = true }
            guard state.waiting > 0, state.threads.chance(state.waiting) else { return state.ready.append(job) }
            let time = state.time + state.threads.time(1_000...Self.longestWait)
            _ = state.add(at: time) { _ in self.run(job) }
        }
    }

    /// Makes jobs wait for a thread, as on a computer with too few of them.
    ///
    /// - Parameter percent: The probability that a job waits. 0 means that no job waits.
    /// - Returns: Whether the probability has changed.
    func setWaiting(_ percent: Int) -> Bool {
        self.state.withLock { state in
            defer { state.waiting = percent }
            return state.waiting != percent
        }
    }

    private func run(_ job: UnownedJob) { self.state.withLock { $0.ready.append(job) } }

    /// Calls `fire` at a time.
    ///
    /// - Parameters:
    ///   - time: The time in nanoseconds since the simulation's start. If it is in the past, `fire` is called as soon
    ///     as no job is ready.
    ///   - process: The process that the timer belongs to. If it is killed, `fire` is called with false.
    ///   - firesWhilePaused: Whether the timer fires while its process is paused. Otherwise, it fires after the pause.
    ///   - fire: A closure that receives whether the time has come.
    /// - Returns: An identifier for ``cancel(_:)``.
    @discardableResult
    func schedule(
        at time: Int64,
        for process: ProcessID? = nil,
        firesWhilePaused: Bool = false,
        _ fire: @escaping @Sendable (_ isDue: Bool) -> Void
    ) -> UInt64 {
        self.state.withLock { state in
            let isKilled = process.map(state.killed.contains) ?? false
            return isKilled
                ? state.add(at: state.time) { _ in fire(false) }
                : state.add(at: time, for: process, isHeld: !firesWhilePaused, fire)
        }
    }

    /// Removes a timer and calls its closure with false, unless its time has come.
    func cancel(_ timer: UInt64) {
        self.state.withLock { $0.timers.remove { $0.id == timer } }.first?.fire(false)
    }

    /// Calls the closures of all current and later timers of a process with false, as soon as no job is ready.
    func kill(_ process: ProcessID) {
        self.state.withLock { state in
            state.killed.insert(process)
            for timer in state.timers.remove(where: { $0.process == process }).sorted(by: { $0.id < $1.id }) {
                _ = state.add(at: state.time) { _ in timer.fire(false) }
            }
        }
    }

    /// Holds back the timers of a process until a time, as if the process were stopped by a signal.
    ///
    /// Everything that a process waits for is a timer: its clock, its disk, its database and its network. Jobs that are
    /// ready still run, because no time passes until the process waits again.
    func pause(_ process: ProcessID, until time: Int64) {
        self.state.withLock { $0.pauses[process] = max(time, $0.pauses[process] ?? 0) }
    }

    /// Whether a process is paused.
    func isPaused(_ process: ProcessID) -> Bool {
        self.state.withLock { state in state.pauses[process].map { $0 > state.time } ?? false }
    }

    /// Suspends the task until a time, or until the end of the process's pause unless `firesWhilePaused` is true.
    ///
    /// - Throws: `CancellationError` if the task is canceled or the process is killed.
    func sleep(until time: Int64, for process: ProcessID?, firesWhilePaused: Bool = false) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let timer = self.schedule(at: time, for: process, firesWhilePaused: firesWhilePaused) { isDue in
                    continuation.resume(with: isDue ? .success(()) : .failure(CancellationError()))
                }
                if sleeper.begin(timer) { self.cancel(timer) }
            }
        } onCancel: {
            if let timer = sleeper.cancel() { self.cancel(timer) }
        }
    }

    /// Runs jobs and timers until `isDone` returns true, or nothing is left to run.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of jobs and timers.
    ///   - run: A closure that runs a job.
    ///   - isDone: A closure that is called after each job and timer.
    /// - Returns: Whether `isDone` returned true or nothing is left, before the limit was reached.
    func run(limit: Int, _ run: (UnownedJob) -> Void, until isDone: () -> Bool) -> Bool {
        for _ in 0..<limit {
            if let job = self.nextJob() {
                run(job)
            } else if let timer = self.nextTimer() {
                timer(true)
            } else {
                return true
            }
            if isDone() { return true }
        }
        return false
    }

    private func nextJob() -> UnownedJob? {
        self.state.withLock { state in
            guard !state.ready.isEmpty else { return nil }
            let index = state.ready.count == 1 ? 0 : state.random.below(state.ready.count)
            state.ready.swapAt(index, state.ready.count - 1)
            return state.ready.removeLast()
        }
    }

    private func nextTimer() -> (@Sendable (Bool) -> Void)? {
        self.state.withLock { state in
            while var timer = state.timers.removeFirst() {
                guard let end = state.pause(of: timer) else {
                    state.time = max(state.time, timer.time)
                    return timer.fire
                }
                timer.time = end
                state.timers.insert(timer)
            }
            return nil
        }
    }

    /// Whether a process has been killed.
    func isKilled(_ process: ProcessID) -> Bool { self.state.withLock { $0.killed.contains(process) } }

    /// A sleep that can be canceled before or after its timer has been scheduled.
    private final class Sleeper: Sendable {
        private let state = Mutex<(timer: UInt64?, isCanceled: Bool)>((nil, false))

        /// Sets the timer, and returns whether the sleep was already canceled.
        func begin(_ timer: UInt64) -> Bool {
            self.state.withLock { state in
                state.timer = timer
                return state.isCanceled
            }
        }

        /// Returns the timer to cancel, if it has been scheduled.
        func cancel() -> UInt64? {
            self.state.withLock { state in
                state.isCanceled = true
                return state.timer
            }
        }
    }
}

/// A heap of timers, with the earliest one first.
///
/// Timers of the same time are in the order of their identifiers.
private struct Heap {
    private var timers: [Scheduler.Timer] = []

    mutating func insert(_ timer: Scheduler.Timer) {
        self.timers.append(timer)
        var index = self.timers.count - 1
        while index > 0, case let parent = (index - 1) / 2, self.precedes(index, parent) {
            self.timers.swapAt(index, parent)
            index = parent
        }
    }

    mutating func removeFirst() -> Scheduler.Timer? {
        guard !self.timers.isEmpty else { return nil }
        self.timers.swapAt(0, self.timers.count - 1)
        let first = self.timers.removeLast()
        var index = 0
        while true {
            var child = 2 * index + 1
            if child + 1 < self.timers.count, self.precedes(child + 1, child) { child += 1 }
            guard child < self.timers.count, self.precedes(child, index) else { return first }
            self.timers.swapAt(index, child)
            index = child
        }
    }

    /// Removes and returns the timers that satisfy a condition, in no particular order.
    mutating func remove(where condition: (Scheduler.Timer) -> Bool) -> [Scheduler.Timer] {
        let timers = self.timers
        let removed = timers.filter(condition)
        guard !removed.isEmpty else { return [] }
        self.timers = []
        for timer in timers where !condition(timer) { self.insert(timer) }
        return removed
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        (self.timers[left].time, self.timers[left].id) < (self.timers[right].time, self.timers[right].id)
    }
}

/// The identity of the current thread.
enum ThreadIdentity {
    static var current: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
