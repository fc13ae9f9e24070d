// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Synchronization

/// A serial task executor that counts jobs.
///
/// A task that never suspends is a single job.
final class CountingExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tessera.benchmark")
    private let enqueued = Mutex(0)

    var jobs: Int { self.enqueued.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.enqueued.withLock { $0 += 1 }
        self.queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
