// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Dispatch
internal import TesseraSupport

/// A completion handler on its way to the queue that it is called on: once, and never at once.
///
/// The names of the ancestors come with completion handlers that are not `Sendable`: a program written for them hands
/// over closures that belong to its main thread, and must go on compiling. `@unchecked`, since such a closure is carried
/// here: it is a `let` that only `queue` calls, once, as the mutex sees to, and that nobody gets out.
package final class Callback<Value: Sendable>: @unchecked Sendable {
    private let queue: DispatchQueue
    private let body: ((Value) -> Void)?
    private let isCalled = Mutex(false)

    /// A handler for `queue`.
    package init(on queue: DispatchQueue, _ body: ((Value) -> Void)?) {
        self.queue = queue
        self.body = body
    }

    /// Calls the handler on its queue, soon; any later call does nothing.
    package func callAsFunction(_ value: Value) {
        let isFirst = self.isCalled.withLock { isCalled in
            defer { isCalled = true }
            return !isCalled
        }
        if isFirst { self.queue.async { self.body?(value) } }
    }
}

extension Callback {
    /// Creates a handler that takes a value or an error, as the ancestors' completion handlers do.
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

    /// Calls the handler with the result of work that runs in a new task.
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

/// One answer from whoever is asked, or the one that counts where everybody who could give it has let go of this.
///
/// Only the closures that somebody gets hold it.
final class OneAnswer<Value: Sendable>: Sendable {
    private let otherwise: Value
    private let taker: Mutex<(@Sendable (Value) -> Void)?>

    /// `take` gets the answer, once.
    init(otherwise: Value, _ take: @escaping @Sendable (Value) -> Void) {
        self.otherwise = otherwise
        self.taker = Mutex(take)
    }

    deinit { self(self.otherwise) }

    /// Answers; any later answer counts for nothing.
    func callAsFunction(_ value: Value) { self.taker.withLock { $0.take() }?(value) }
}
