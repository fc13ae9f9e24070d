// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch

/// An executor for blocking work, so that cooperative threads do not wait for disks.
///
/// Work runs on a serial queue, in the order in which it was added, except that urgent work runs first.
package final class BlockingExecutor: Sendable {
    /// The executor that all stores of the process share.
    package static let shared = BlockingExecutor()
    /// The shared executor for reads, so that slow writes do not delay them.
    package static let reading = BlockingExecutor()

    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// The urgent work that has not started yet.
    private let urgent = Mutex<[@Sendable () -> Void]>([])

    /// Creates an executor with its own queue, for work that must not wait for other stores' work.
    package convenience init() {
        let queue = DispatchQueue(label: "tessera.blocking")
        self.init { work in queue.async(execute: work) }
    }

    /// Creates an executor that passes each piece of work to `enqueue`, which runs it later, in order, exactly once.
    package init(enqueue: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) {
        self.enqueue = enqueue
    }

    /// Runs `work` on the queue.
    ///
    /// Canceling the task does not interrupt the work.
    ///
    /// - Parameters:
    ///   - isUrgent: Whether to run the work before other work that has not started yet.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: Any error that the work throws.
    package func run<Result: Sendable>(
        isUrgent: Bool = false,
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        // Each turn runs exactly once, and a checked continuation costs as much as a small query.
        try await withUnsafeThrowingContinuation { continuation in
            let turn: @Sendable () -> Void = {
                do { continuation.resume(returning: try work()) } catch { continuation.resume(throwing: error) }
            }
            if isUrgent { self.urgent.withLock { $0.append(turn) } }
            self.enqueue {
                self.runUrgentWork()
                if !isUrgent { turn() }
            }
        }
    }

    /// Runs the urgent work that is waiting now.
    ///
    /// Work that is added meanwhile must not delay other work again.
    private func runUrgentWork() {
        let works = self.urgent.withLock { urgent in
            defer { urgent = [] }
            return urgent
        }
        for work in works { work() }
    }
}
