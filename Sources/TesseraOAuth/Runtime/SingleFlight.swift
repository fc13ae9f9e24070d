// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A runner that executes at most one operation at a time and shares its result with all concurrent callers.
///
/// A canceled caller stops waiting immediately. The operation itself is never canceled, because abandoning a refresh
/// with a rotating refresh token would lose the session. Errors are passed to the current callers but are not cached.
package final class SingleFlight<Value: Sendable>: Sendable {
    package typealias Operation = @Sendable () async throws -> Value

    private struct State {
        var isInFlight = false
        var nextID = 0
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Returns the result of the current operation, or starts this one if no operation is running.
    package func run(_ operation: @escaping Operation) async throws -> Value {
        try await self.run(.some(operation))
    }

    /// Joins the current operation, or starts `operation` if no operation is running.
    ///
    /// If `operation` is nil and no operation is running, this method throws `CancellationError`.
    private func run(_ operation: Operation?) async throws -> Value {
        let id = self.state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.join(id, continuation, operation)
            }
        } onCancel: {
            self.state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    /// Starts the operation without waiting for it, unless another operation is running.
    package func start(_ operation: @escaping Operation) {
        if self.state.withLock({ Self.markStarted(&$0) }) { self.fly(operation) }
    }

    /// Waits for the current operation, or returns immediately if there is no current operation.
    package func wait() async {
        _ = try? await self.run(nil)
    }

    private func join(_ id: Int, _ continuation: CheckedContinuation<Value, any Error>, _ operation: Operation?) {
        let (joins, takesOff) = self.state.withLock { state -> (Bool, Bool) in
            // The cancellation handler takes the same lock, so either it finds the waiter or this check detects the
            // cancellation.
            if Task.isCancelled || (operation == nil && !state.isInFlight) { return (false, false) }
            state.waiters[id] = continuation
            return (true, Self.markStarted(&state))
        }
        if !joins { continuation.resume(throwing: CancellationError()) }
        if takesOff, let operation { self.fly(operation) }
    }

    private static func markStarted(_ state: inout State) -> Bool {
        defer { state.isInFlight = true }
        return !state.isInFlight
    }

    private func fly(_ operation: @escaping Operation) {
        _ = TaskExecutorInheritance.start {
            do { self.land(.success(try await operation())) } catch { self.land(.failure(error)) }
        }
    }

    private func land(_ result: Result<Value, any Error>) {
        let waiters = self.state.withLock { state in
            defer {
                state.waiters = [:]
                state.isInFlight = false
            }
            return state.waiters.sorted { $0.key < $1.key }
        }
        for waiter in waiters { waiter.value.resume(with: result) }
    }
}
