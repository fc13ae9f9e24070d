// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Synchronization

/// Asynchronous work for callers whose names come from a time without it: they wait.
///
/// The work runs on threads of its own, so that a caller that waits on a cooperative thread stops nobody but itself.
package enum AtOnce {
    private final class Threads: TaskExecutor {
        private let queue = DispatchQueue(label: "tessera.at-once", attributes: .concurrent)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            self.queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    private static let threads = Threads()
    /// How long nobody is kept waiting for what goes on by itself.
    private static let patience = DispatchTimeInterval.milliseconds(250)

    /// Waits for `work`; nil where it throws.
    package static func result<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) -> Value? {
        let result = Mutex<Value?>(nil)
        self.start {
            let value = try? await work()
            result.withLock { $0 = value }
        }
        .wait()
        return result.withLock { $0 }
    }

    /// Begins `work`, which goes on however long it takes; the caller waits a quarter of a second for it.
    package static func begin(_ work: @escaping @Sendable () async -> Void) {
        _ = self.start(work).wait(timeout: .now() + self.patience)
    }

    private static func start(_ work: @escaping @Sendable () async -> Void) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        Task(executorPreference: self.threads) {
            await work()
            done.signal()
        }
        return done
    }
}
