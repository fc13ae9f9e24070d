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
