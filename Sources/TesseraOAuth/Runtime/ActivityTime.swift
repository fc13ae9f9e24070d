// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The time that an activity has.
package final class ActivityTime: Sendable {
    private struct State {
        var isOver = false
        var handlers: [@Sendable () -> Void] = []
    }

    /// The time of a process that is never suspended.
    package static let unlimited = ActivityTime(isLimited: false)

    /// An operation was cancelled, or not started, because the time was over before it began its work.
    package struct OverError: Error {}

    /// An operation that goes on although the time is over.
    ///
    /// The process may be suspended meanwhile.
    package struct Unfinished<Value: Sendable>: Error {
        package let task: Task<Value, any Error>
    }

    private let isLimited: Bool
    private let state = Mutex(State())

    package init(isLimited: Bool = true) { self.isLimited = isLimited }

    /// Whether the process may be suspended at any moment.
    package var isOver: Bool { self.isLimited && self.state.withLock { $0.isOver } }

    func expire() {
        let handlers = self.state.withLock { state in
            defer { state.handlers = [] }
            state.isOver = true
            return state.handlers
        }
        for handler in handlers { handler() }
    }

    /// Returns the result of `operation`, or throws ``Unfinished`` with the task that continues it if the time is over
    /// first.
    package func run<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard self.isLimited else { return try await operation() }
        let task = TaskThreads.start(operation)
        return try await withTaskCancellationHandler {
            let result = await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<Value, any Error>?, Never>) in
                let first = FirstResult(continuation)
                _ = TaskThreads.start { first.resume(returning: await task.result) }
                self.whenOver { first.resume(returning: nil) }
            }
            guard let result else { throw Unfinished(task: task) }
            return try result.get()
        } onCancel: {
            task.cancel()
        }
    }

    /// Returns the result of `operation`, which waits for a lock or a turn before it calls `begin`.
    ///
    /// If the time is over before that, the operation is cancelled. After that, it is not.
    ///
    /// - Throws: ``OverError`` if the time was over first, and what `operation` throws. `begin` throws ``OverError``, too.
    package func run<Value: Sendable>(
        waiting operation: @escaping @Sendable (_ begin: @escaping @Sendable () throws -> Void) async throws -> Value
    ) async throws -> Value {
        guard self.isLimited else { return try await operation {} }
        if self.isOver { throw OverError() }
        let wait = Wait()
        let task = TaskThreads.start { try await operation { try wait.end() } }
        self.whenOver { if wait.giveUp() { task.cancel() } }
        return try await withTaskCancellationHandler {
            do {
                return try await task.value
            } catch  where wait.isGivenUp {
                throw OverError()
            }
        } onCancel: {
            task.cancel()
        }
    }

    private func whenOver(_ handler: @escaping @Sendable () -> Void) {
        let isOver = self.state.withLock { state in
            if !state.isOver { state.handlers.append(handler) }
            return state.isOver
        }
        if isOver { handler() }
    }
}

/// A continuation that the first of several results resumes.
private final class FirstResult<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) { self.continuation = Mutex(continuation) }

    func resume(returning value: Value) {
        self.continuation.withLock { $0.take() }?.resume(returning: value)
    }
}

/// A wait that either ends or is given up.
private final class Wait: Sendable {
    private enum State { case waiting, ended, givenUp }

    private let state = Mutex(State.waiting)

    var isGivenUp: Bool { self.state.withLock { $0 == .givenUp } }

    func end() throws {
        try self.state.withLock { state in
            guard state != .givenUp else { throw ActivityTime.OverError() }
            state = .ended
        }
    }

    /// Gives the wait up, and returns false if it has ended.
    func giveUp() -> Bool {
        self.state.withLock { state in
            guard state == .waiting else { return false }
            state = .givenUp
            return true
        }
    }
}
