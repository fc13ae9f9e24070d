// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import TesseraSupport

/// A process's activities on a system where each activity blocks a thread until it ends.
///
/// Overlapping activities share one system activity, so together they block only one thread.
final class ExpiringActivities: Sendable {
    /// A function that requests an activity, such as `ProcessInfo.performExpiringActivity(withReason:using:)`.
    ///
    /// The system calls the block on one of its threads. It passes `false` when the activity begins and `true` when its
    /// time runs out. The activity lasts until the block returns. If the system does not allow the activity, it only
    /// calls the block with `true`.
    typealias Perform = @Sendable (_ reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) -> Void

    private let perform: Perform
    private let current = Mutex<ExpiringActivity?>(nil)

    init(perform: @escaping Perform) { self.perform = perform }

    /// Begins an activity, like ``ProcessSuspension/begin``.
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

/// A system activity that several of the process's activities share.
private final class ExpiringActivity: Sendable {
    struct Member: Sendable {
        let continuation: CheckedContinuation<ProcessSuspension.End?, Never>
        let expired: @Sendable () -> Void
    }

    private enum Phase { case requested, running, over }

    private struct State {
        var phase = Phase.requested
        /// The members that are waiting for the system's decision.
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
    /// A group that contains the activity while it has running members.
    private let work = DispatchGroup()

    init(_ member: Member) { self.state = Mutex(State(waiting: [member])) }

    /// Adds a member, or returns false if the activity has ended.
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

    /// Begins the activity and returns when its last member has ended.
    ///
    /// If the time has already run out, this method returns immediately.
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

    /// Rejects waiting members, or notifies running members that their time has run out and waits for them for at most
    /// 2 seconds.
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
        // The process can be suspended soon after this method returns, so give members time to release their locks.
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
