// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The time limit for an activity that delays suspension of the process.
package final class ActivityTime: Sendable {
    private struct State {
        var isOver = false
        var handlers: [@Sendable () -> Void] = []
    }

    /// The time limit for an activity in a process that is never suspended.
    package static let unlimited = ActivityTime(isLimited: false)

    /// An error that indicates that time ran out before an operation began its work.
    package struct ExpiredError: Error {}

    /// An error that indicates that an operation is still running after its time has run out.
    ///
    /// The process can be suspended before the operation ends.
    package struct Unfinished<Value: Sendable>: Error {
        package let task: Task<Value, any Error>
    }

    private let isLimited: Bool
    private let state = Mutex(State())

    package init(isLimited: Bool = true) { self.isLimited = isLimited }

    /// Whether the time has run out, so that the process can be suspended at any moment.
    package var isOver: Bool { self.isLimited && self.state.withLock { $0.isOver } }

    func expire() {
        let handlers = self.state.withLock { state in
            defer { state.handlers = [] }
            state.isOver = true
            return state.handlers
        }
        for handler in handlers { handler() }
    }

    /// Returns the result of `operation`, or throws ``Unfinished`` with its task if the time runs out first.
    package func run<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard self.isLimited else { return try await operation() }
        let task = TaskExecutorInheritance.start(operation)
        return try await withTaskCancellationHandler {
            let result = await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<Value, any Error>?, Never>) in
                let first = FirstResult(continuation)
                _ = TaskExecutorInheritance.start { first.resume(returning: await task.result) }
                self.whenOver { first.resume(returning: nil) }
            }
            guard let result else { throw Unfinished(task: task) }
            return try result.get()
        } onCancel: {
            task.cancel()
        }
    }

    /// Returns the result of `operation`, which may wait, for example for a lock, before it calls `begin`.
    ///
    /// If the time runs out while the operation is waiting, the operation is canceled. After it has called `begin`, it
    /// is no longer canceled.
    ///
    /// - Throws: ``ExpiredError`` if the time runs out first, or any error that `operation` throws. `begin` can also
    ///   throw ``ExpiredError``.
    package func run<Value: Sendable>(
        waiting operation: @escaping @Sendable (_ begin: @escaping @Sendable () throws -> Void) async throws -> Value
    ) async throws -> Value {
        guard self.isLimited else { return try await operation {} }
        if self.isOver { throw ExpiredError() }
        let wait = Wait()
        let task = TaskExecutorInheritance.start { try await operation { try wait.end() } }
        self.whenOver { if wait.giveUp() { task.cancel() } }
        return try await withTaskCancellationHandler {
            do {
                return try await task.value
            } catch  where wait.isGivenUp {
                throw ExpiredError()
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

/// A continuation that is resumed with whichever of several results arrives first.
private final class FirstResult<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) { self.continuation = Mutex(continuation) }

    func resume(returning value: Value) {
        self.continuation.withLock { $0.take() }?.resume(returning: value)
    }
}

/// A wait that either ends or is abandoned.
private final class Wait: Sendable {
    private enum State { case waiting, ended, canceled }

    private let state = Mutex(State.waiting)

    var isGivenUp: Bool { self.state.withLock { $0 == .canceled } }

    func end() throws {
        try self.state.withLock { state in
            guard state != .canceled else { throw ActivityTime.ExpiredError() }
            state = .ended
        }
    }

    /// Abandons the wait, or returns false if it has already ended.
    func giveUp() -> Bool {
        self.state.withLock { state in
            guard state == .waiting else { return false }
            state = .canceled
            return true
        }
    }
}
