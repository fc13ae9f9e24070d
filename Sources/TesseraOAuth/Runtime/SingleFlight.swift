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
        var waiters: [Int: Waiter] = [:]

        mutating func makeID() -> Int {
            self.nextID += 1
            return self.nextID
        }
    }

    private enum Waiter {
        case caller(CheckedContinuation<Value, any Error>)
        /// A caller that waits for the end of the operation, whatever its result is.
        case observer(CheckedContinuation<Void, Never>)

        func resume(with result: Result<Value, any Error>) {
            switch self {
            case .caller(let continuation): continuation.resume(with: result)
            case .observer(let continuation): continuation.resume()
            }
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Returns the result of the current operation, or starts this one if no operation is running.
    package func run(_ operation: @escaping Operation) async throws -> Value {
        let id = self.state.withLock { $0.makeID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.join(id, continuation, operation)
            }
        } onCancel: {
            self.state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(with: .failure(CancellationError()))
        }
    }

    /// Starts the operation without waiting for it, unless another operation is running.
    package func start(_ operation: @escaping Operation) {
        if self.state.withLock({ Self.markStarted(&$0) }) { self.fly(operation) }
    }

    /// Waits for the current operation, or returns immediately if there is none.
    ///
    /// A canceled caller stops waiting, unless `evenIfCanceled` is true.
    package func wait(evenIfCanceled: Bool = false) async {
        let id = self.state.withLock { $0.makeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = self.state.withLock { state in
                    // As in `join`, the cancellation handler takes the same lock.
                    guard state.isInFlight, evenIfCanceled || !Task.isCancelled else { return false }
                    state.waiters[id] = .observer(continuation)
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            guard !evenIfCanceled else { return }
            self.state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(with: .failure(CancellationError()))
        }
    }

    private func join(
        _ id: Int,
        _ continuation: CheckedContinuation<Value, any Error>,
        _ operation: @escaping Operation
    ) {
        let (joins, takesOff) = self.state.withLock { state -> (Bool, Bool) in
            // The cancellation handler takes the same lock, so either it finds the waiter or this check detects the
            // cancellation.
            if Task.isCancelled { return (false, false) }
            state.waiters[id] = .caller(continuation)
            return (true, Self.markStarted(&state))
        }
        if !joins { continuation.resume(throwing: CancellationError()) }
        if takesOff { self.fly(operation) }
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
