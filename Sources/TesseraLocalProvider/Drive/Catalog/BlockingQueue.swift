// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Dispatch

/// A thread of its own for calls that block: Swift's few cooperative threads must not.
struct BlockingQueue: Sendable {
    private let queue = DispatchQueue(label: "tessera.local-provider.drive")

    /// Runs `body` on the queue; calls run one after the other.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            self.queue.async { continuation.resume(returning: body()) }
        }
    }
}
#endif
