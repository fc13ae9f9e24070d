// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import TesseraSupport

/// The activities of a process whose system's activity is a block that occupies a thread until it returns.
///
/// Activities that overlap share one of the system's, so that any number of them occupies one thread.
final class ExpiringActivities: Sendable {
    /// Asks the system for an activity: `ProcessInfo.performExpiringActivity(withReason:using:)`.
    ///
    /// The system calls the block on a thread of its own: with `false` when the activity begins, which lasts until the block
    /// returns, and with `true` when its time is over. If it does not allow an activity, it calls the block with `true` only.
    typealias Perform = @Sendable (_ reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) -> Void

    private let perform: Perform
    private let current = Mutex<ExpiringActivity?>(nil)

    init(perform: @escaping Perform) { self.perform = perform }

    /// Begins an activity, as ``ProcessSuspension/begin`` does.
    func begin(_ reason: String, _ expired: @escaping @Sendable () -> Void) async -> ProcessSuspension.End? {
        await withCheckedContinuation { continuation in
            let member = ExpiringActivity.Member(continuation: continuation, expired: expired)
            let new = self.current.withLock { current -> ExpiringActivity? in
                if current?.join(member) == true { return nil }
                let activity = ExpiringActivity(member)
                current = activity
                return activity
            }
            if let new { self.perform(reason) { isExpired in if isExpired { new.expire() } else { new.hold() } } }
        }
    }
}

/// One of the system's activities, and the activities of the process that share it.
private final class ExpiringActivity: Sendable {
    struct Member: Sendable {
        let continuation: CheckedContinuation<ProcessSuspension.End?, Never>
        let expired: @Sendable () -> Void
    }

    private enum Phase { case requested, running, over }

    private struct State {
        var phase = Phase.requested
        /// Those that wait for the system's decision.
        var waiting: [Member]
        var running: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0

        mutating func add(_ member: Member) -> Int {
            self.lastNumber += 1
            self.running[self.lastNumber] = member.expired
            return self.lastNumber
        }
    }

    private let state: Mutex<State>
    /// Entered while a member is running.
    private let work = DispatchGroup()

    init(_ member: Member) { self.state = Mutex(State(waiting: [member])) }

    /// Adds a member, and returns false if the activity is over.
    func join(_ member: Member) -> Bool {
        let (hasJoined, number) = self.state.withLock { state -> (Bool, Int?) in
            switch state.phase {
            case .requested:
                state.waiting.append(member)
                return (true, nil)
            case .running: return (true, state.add(member))
            case .over: return (false, nil)
            }
        }
        if let number { member.continuation.resume { self.end(number) } }
        return hasJoined
    }

    /// Begins the activity, and returns when its last member has ended.
    ///
    /// Returns at once if the time was over before.
    func hold() {
        let begun = self.state.withLock { state -> [(Member, Int)] in
            guard state.phase == .requested else { return [] }
            state.phase = .running
            self.work.enter()
            defer { state.waiting = [] }
            return state.waiting.map { ($0, state.add($0)) }
        }
        guard !begun.isEmpty else { return }
        for (member, number) in begun { member.continuation.resume { self.end(number) } }
        self.work.wait()
    }

    /// Refuses those that wait, or tells the running members that their time is over and waits for them briefly.
    func expire() {
        let (refused, expired) = self.state.withLock { state -> ([Member], [@Sendable () -> Void]) in
            defer {
                state.phase = .over
                state.waiting = []
            }
            return (state.waiting, state.phase == .running ? Array(state.running.values) : [])
        }
        for member in refused { member.continuation.resume(returning: nil) }
        for expired in expired { expired() }
        // The process is suspended soon after this returns: locks are released before.
        if !expired.isEmpty { _ = self.work.wait(timeout: .now() + 2) }
    }

    private func end(_ number: Int) {
        let isLast = self.state.withLock { state -> Bool in
            guard state.running.removeValue(forKey: number) != nil, state.running.isEmpty else { return false }
            state.phase = .over
            return true
        }
        if isLast { self.work.leave() }
    }
}

extension CheckedContinuation<ProcessSuspension.End?, Never> {
    fileprivate func resume(_ end: @escaping ProcessSuspension.End) { self.resume(returning: end) }
}
