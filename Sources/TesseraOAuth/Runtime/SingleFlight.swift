// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Runs at most one operation at a time and gives its result to everyone who asked meanwhile.
///
/// A cancelled waiter leaves at once. The operation itself is never cancelled: with rotating refresh tokens an abandoned
/// refresh loses the session. Failures are delivered, never remembered.
package final class SingleFlight<Value: Sendable>: Sendable {
    package typealias Operation = @Sendable () async throws -> Value

    private struct State {
        var isInFlight = false
        var nextID = 0
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The result of the operation that is in flight, or of this one.
    package func run(_ operation: @escaping Operation) async throws -> Value {
        try await self.run(.some(operation))
    }

    /// Without an operation: joins the one in flight, or throws `CancellationError` where there is none.
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

    /// Starts the operation unless one is in flight, and does not wait for it.
    package func start(_ operation: @escaping Operation) {
        if self.state.withLock({ Self.takeOff(&$0) }) { self.fly(operation) }
    }

    /// Returns when the operation that is in flight now has landed; at once when there is none.
    package func wait() async {
        _ = try? await self.run(nil)
    }

    private func join(_ id: Int, _ continuation: CheckedContinuation<Value, any Error>, _ operation: Operation?) {
        let (joins, takesOff) = self.state.withLock { state -> (Bool, Bool) in
            // The cancellation handler takes this lock too: either it finds the waiter, or this finds the cancellation.
            if Task.isCancelled || (operation == nil && !state.isInFlight) { return (false, false) }
            state.waiters[id] = continuation
            return (true, Self.takeOff(&state))
        }
        if !joins { continuation.resume(throwing: CancellationError()) }
        if takesOff, let operation { self.fly(operation) }
    }

    private static func takeOff(_ state: inout State) -> Bool {
        defer { state.isInFlight = true }
        return !state.isInFlight
    }

    private func fly(_ operation: @escaping Operation) {
        _ = TaskThreads.start {
            do { self.land(.success(try await operation())) } catch { self.land(.failure(error)) }
        }
    }

    private func land(_ result: Result<Value, any Error>) {
        let waiters = self.state.withLock { state in
            defer {
                state.waiters = [:]
                state.isInFlight = false
            }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}
