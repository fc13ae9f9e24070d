// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Dispatch
internal import TesseraSupport

/// A completion handler that is called once, asynchronously, on a given queue.
///
/// The original libraries' completion handlers are not `Sendable`. Apps pass closures that belong to their main thread,
/// and these apps have to compile unchanged. The conformance to `Sendable` is `@unchecked` because this class stores
/// such a closure. It is safe because the closure is a private `let` that is called at most once, on `queue`.
package final class Callback<Value: Sendable>: @unchecked Sendable {
    private let queue: DispatchQueue
    private let body: ((Value) -> Void)?
    private let isCalled = Mutex(false)

    /// Creates a handler that is called on `queue`.
    package init(on queue: DispatchQueue, _ body: ((Value) -> Void)?) {
        self.queue = queue
        self.body = body
    }

    /// Schedules the handler on its queue.
    ///
    /// Later calls have no effect.
    package func callAsFunction(_ value: Value) {
        if self.isCalled.setOnce() { self.queue.async { self.body?(value) } }
    }

    /// Schedules a closure on the handler's queue, so that it runs after the handler if that has been called.
    func afterward(_ completion: (@Sendable () -> Void)?) {
        if let completion { self.queue.async(execute: completion) }
    }
}

extension Callback {
    /// Creates a handler that receives a value or an error, like the original libraries' completion handlers.
    package convenience init<Success>(
        on queue: DispatchQueue,
        completion: ((Success?, (any Error)?) -> Void)?
    ) where Value == Result<Success, any Error> {
        self.init(on: queue) { result in
            switch result {
            case .success(let value): completion?(value, nil)
            case .failure(let error): completion?(nil, error)
            }
        }
    }

    /// Runs `work` in a new task and calls the handler with the result.
    package func report<Success>(_ work: @escaping @Sendable () async throws -> Success)
    where Value == Result<Success, any Error> {
        Task {
            do {
                self(.success(try await work()))
            } catch {
                self(.failure(error))
            }
        }
    }
}

/// A result that several closures can supply.
///
/// The first result wins.
///
/// If the last closure is released without supplying a result, the receiver gets a default value. Only the closures may
/// retain this object.
final class SharedResult<Value: Sendable>: Sendable {
    private let otherwise: Value
    private let taker: Mutex<(@Sendable (Value) -> Void)?>

    /// Creates a result that calls `take` exactly once.
    init(otherwise: Value, _ take: @escaping @Sendable (Value) -> Void) {
        self.otherwise = otherwise
        self.taker = Mutex(take)
    }

    deinit { self(self.otherwise) }

    /// Supplies the result.
    ///
    /// Later calls have no effect.
    func callAsFunction(_ value: Value) { self.taker.withLock { $0.take() }?(value) }
}
