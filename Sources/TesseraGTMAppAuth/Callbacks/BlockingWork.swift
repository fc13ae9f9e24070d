// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import TesseraSupport
internal import TesseraOAuth

/// Runs asynchronous work for synchronous callers that block until it completes.
///
/// The work runs on dedicated threads, so a caller that blocks a thread in the cooperative pool blocks only itself. On
/// versions earlier than iOS 18, macOS 15, tvOS 18, watchOS 11 and visionOS 2, tasks cannot choose their threads, so
/// the work runs on the cooperative pool. In that case, a caller on the pool occupies one of its threads while it
/// waits, and the process deadlocks if callers occupy all of them. A task that is not on the main actor must not call
/// ``result(_:)``.
package enum BlockingWork {
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    private final class Threads: TaskExecutor {
        static let shared = Threads()
        private let queue = DispatchQueue(label: "tessera.at-once", attributes: .concurrent)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            self.queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// The maximum time that ``begin(_:)`` blocks its caller.
    private static let timeout = DispatchTimeInterval.milliseconds(250)

    /// Blocks until `work` completes, without a timeout.
    ///
    /// If `work` throws an error, this method returns nil.
    package static func result<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) -> Value? {
        let result = Mutex<Value?>(nil)
        self.start {
            let value = try? await work()
            result.withLock { $0 = value }
        }
        .wait()
        return result.withLock { $0 }
    }

    /// Starts `work` and blocks for at most 250 milliseconds.
    ///
    /// If the work takes longer, it continues after this method returns.
    package static func begin(_ work: @escaping @Sendable () async -> Void) {
        _ = self.start(work).wait(timeout: .now() + self.timeout)
    }

    /// Runs `work` on the dedicated threads, because synchronous callers may block the cooperative pool while they wait
    /// for it.
    package static func alongside<Value: Sendable>(
        _ work: @concurrent @Sendable () async throws -> Value
    ) async throws -> Value {
        if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) {
            try await TaskExecutorInheritance.run(on: Threads.shared, work)
        } else {
            try await work()
        }
    }

    private static func start(_ work: @escaping @Sendable () async -> Void) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        let task: @Sendable () async -> Void = {
            await work()
            done.signal()
        }
        if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) {
            TaskExecutorInheritance.start(on: Threads.shared, task)
        } else {
            Task { await task() }
        }
        return done
    }
}
