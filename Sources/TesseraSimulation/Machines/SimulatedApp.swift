// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// The activities of an app, and whether it is in the background.
///
/// The system suspends an app in the background as soon as none of its activities is running. After some time, it
/// notifies the activities that still run, and soon afterward it suspends the app in any case. A suspended app must not
/// hold a lock on a file, and a suspended or terminated app must not have an activity.
final class SimulatedApp: Sendable {
    private struct State {
        var random: SeededGenerator
        /// The number of times that the app has entered the background.
        var visit = 0
        /// The time at which the app returns to the foreground, or nil if it is there.
        var end: Int64?
        /// Whether the system suspends the app as soon as no activity is running.
        var isIdle = false
        /// Whether the time for activities has run out.
        var isOver = false
        var lastActivity = 0
        /// The functions that notify the activities.
        var activities: [Int: @Sendable () -> Void] = [:]
    }

    private static let second: Int64 = 1_000_000_000
    /// The time that an activity has to end after it was notified.
    private static let notice = 5 * SimulatedApp.second

    private let state: Mutex<State>

    init(random: SeededGenerator) { self.state = Mutex(State(random: random)) }

    /// The system's activities, for the runtime of the app's process.
    func suspension(of process: SimulatedProcess) -> ProcessSuspension {
        ProcessSuspension(
            isInBackground: { self.state.withLock { $0.end != nil } },
            begin: { _, expired in
                // The code of a suspended app continues when the app is in the foreground.
                await process.waitUntilResumed()
                return self.begin(expired, process)
            }
        )
    }

    /// Moves the app to the background, unless it is there.
    func enterBackground(seconds: Int, _ process: SimulatedProcess) {
        let now = process.simulation.scheduler.time
        let times = self.state.withLock { state -> (visit: Int, idle: Int64, over: Int64)? in
            guard state.end == nil else { return nil }
            state.visit += 1
            (state.end, state.isIdle, state.isOver) = (now + Int64(seconds) * Self.second, false, false)
            let idle = now + state.random.time(1...5 * Self.second)
            return (state.visit, idle, idle + state.random.time(1...25 * Self.second))
        }
        guard let (visit, idle, over) = times else { return }
        process.simulation.record(.enteredBackground(seconds: seconds), by: .process(process.id))
        self.schedule(at: idle, visit, process) {
            self.state.withLock { $0.isIdle = true }
            self.suspendIfIdle(process)
        }
        self.schedule(at: over, visit, process) { self.endTime(process) }
        self.schedule(at: over + Self.notice, visit, process) {
            if self.state.withLock({ !$0.activities.isEmpty }) {
                process.simulation.report(
                    .suspendedAppHoldsNothing,
                    "an activity of process \(process.id) continued after its time"
                )
            }
            self.suspend(process)
        }
        self.schedule(at: now + Int64(seconds) * Self.second, visit, process) {
            self.state.withLock { $0.end = nil }
            process.simulation.record(.enteredForeground, by: .process(process.id))
        }
    }

    /// Runs `body` at a time, unless the app has entered the background again by then.
    private func schedule(
        at time: Int64,
        _ visit: Int,
        _ process: SimulatedProcess,
        _ body: @escaping @Sendable () -> Void
    ) {
        process.simulation.scheduler.schedule(at: time, for: process.id, firesWhilePaused: true) { isDue in
            if isDue, self.state.withLock({ $0.visit == visit && $0.end != nil }) { body() }
        }
    }

    private func begin(
        _ expired: @escaping @Sendable () -> Void,
        _ process: SimulatedProcess
    ) -> ProcessSuspension.End? {
        let number = self.state.withLock { state -> Int? in
            guard state.end == nil || !state.isOver else { return nil }
            state.lastActivity += 1
            state.activities[state.lastActivity] = expired
            return state.lastActivity
        }
        guard let number else { return nil }
        return {
            self.state.withLock { $0.activities[number] = nil }
            self.suspendIfIdle(process)
        }
    }

    /// Notifies the activities that their time has run out, unless the app is already suspended.
    private func endTime(_ process: SimulatedProcess) {
        if process.simulation.scheduler.isPaused(process.id) { return }
        let activities = self.state.withLock { state in
            state.isOver = true
            return state.activities.sorted { $0.key < $1.key }
        }
        process.simulation.record(.activitiesExpired, by: .process(process.id))
        for (_, expired) in activities { expired() }
    }

    private func suspendIfIdle(_ process: SimulatedProcess) {
        if self.state.withLock({ $0.end != nil && $0.isIdle && $0.activities.isEmpty }) { self.suspend(process) }
    }

    /// Suspends the app until it returns to the foreground, unless it is suspended.
    private func suspend(_ process: SimulatedProcess) {
        let scheduler = process.simulation.scheduler
        guard process.isRunning, !scheduler.isPaused(process.id), let end = self.state.withLock({ $0.end })
        else { return }
        if process.machine.volume.isLocked(by: process.id) {
            process.simulation.report(
                .suspendedAppHoldsNothing,
                "process \(process.id) held the lock of an account when it was suspended"
            )
        }
        scheduler.pause(process.id, until: end)
        process.simulation.record(.suspended, by: .process(process.id))
    }
}

extension SimulatedProcess {
    /// Moves an app to the background for a number of seconds, unless it is there.
    ///
    /// The system suspends it there, unless an activity is running. A process that is not an app is not affected.
    public func enterBackground(seconds: Int) {
        if self.isRunning { self.app?.enterBackground(seconds: seconds, self) }
    }
}
