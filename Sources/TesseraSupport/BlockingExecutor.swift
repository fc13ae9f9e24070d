// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch

/// Where a store blocks: a serial queue of its own, so that no cooperative thread ever waits for a disk.
///
/// Work runs in the order in which it was handed in, one piece at a time; what two pieces do never interleaves.
package final class BlockingExecutor: Sendable {
    /// The executor that all stores of the process share.
    package static let shared = BlockingExecutor()
    /// The one for what only reads: a slow disk that is written to keeps nobody from a session that is there.
    package static let reading = BlockingExecutor()

    private let queue = DispatchQueue(label: "tessera.blocking")

    /// An executor with a queue of its own, for what may not wait for the disks of others.
    package init() {}

    /// Runs `work` on the queue and returns its result.
    ///
    /// Cancellation does not cut it short: what was begun on a disk ends.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            self.queue.async { continuation.resume(with: .init(catching: work)) }
        }
    }
}
