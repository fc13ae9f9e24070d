// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

/// A system that suspends the process when a test requests it.
final class ScriptedSuspension: Sendable {
    private struct State {
        var isInBackground = false
        var refusesActivities = false
        var lastNumber = 0
        var activities: [Int: @Sendable () -> Void] = [:]
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The number of activities that have begun and not ended.
    var activityCount: Int { self.state.withLock { $0.activities.count } }
    /// The number of activities that have begun.
    var begunCount: Int { self.state.withLock { $0.lastNumber } }

    func enterBackground() { self.state.withLock { $0.isInBackground = true } }
    func enterForeground() { self.state.withLock { $0.isInBackground = false } }
    func refuseActivities(_ refuses: Bool = true) { self.state.withLock { $0.refusesActivities = refuses } }

    /// Notifies every activity that its time has expired.
    func expire() {
        for expired in self.state.withLock({ Array($0.activities.values) }) { expired() }
    }

    /// Returns when no activity is running.
    func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = self.state.withLock { state in
                if !state.activities.isEmpty { state.waiting.append(continuation) }
                return state.activities.isEmpty
            }
            if isIdle { continuation.resume() }
        }
    }

    var value: ProcessSuspension {
        ProcessSuspension(
            isInBackground: { self.state.withLock { $0.isInBackground } },
            begin: { _, expired in self.begin(expired) }
        )
    }

    private func begin(_ expired: @escaping @Sendable () -> Void) -> ProcessSuspension.End? {
        let begun = self.state.withLock { state -> Int? in
            guard !state.refusesActivities else { return nil }
            state.lastNumber += 1
            state.activities[state.lastNumber] = expired
            return state.lastNumber
        }
        guard let begun else { return nil }
        return { self.end(begun) }
    }

    private func end(_ number: Int) {
        let waiting = self.state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.activities[number] = nil
            guard state.activities.isEmpty else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
