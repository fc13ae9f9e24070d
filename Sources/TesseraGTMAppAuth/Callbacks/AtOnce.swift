// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import TesseraSupport
internal import TesseraOAuth

/// Asynchronous work for synchronous callers, who wait for it.
///
/// The work runs on threads of its own, so that a caller that waits on a cooperative thread blocks only itself. Before
/// iOS 18, macOS 15, tvOS 18, watchOS 11 and visionOS 2 tasks cannot choose their threads, and the work runs on the
/// cooperative ones. There a caller on a cooperative thread takes one of these away while it waits, and callers that take
/// all of them at once wait for ever: a task off the main actor must not call ``result(_:)``.
package enum AtOnce {
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    private final class Threads: TaskExecutor {
        static let shared = Threads()
        private let queue = DispatchQueue(label: "tessera.at-once", attributes: .concurrent)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            self.queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// How long a caller waits at most for work that goes on by itself.
    private static let patience = DispatchTimeInterval.milliseconds(250)

    /// Waits for `work`, however long it takes; nil where it throws.
    package static func result<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) -> Value? {
        let result = Mutex<Value?>(nil)
        self.start {
            let value = try? await work()
            result.withLock { $0 = value }
        }
        .wait()
        return result.withLock { $0 }
    }

    /// Begins `work`, which goes on however long it takes; the caller waits at most 250 milliseconds for it.
    package static func begin(_ work: @escaping @Sendable () async -> Void) {
        _ = self.start(work).wait(timeout: .now() + self.patience)
    }

    /// Does `work` on the threads of synchronous callers, who may wait for it while they block the cooperative threads.
    package static func alongside<Value: Sendable>(
        _ work: @concurrent @Sendable () async throws -> Value
    ) async throws -> Value {
        if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) {
            try await TaskThreads.run(on: Threads.shared, work)
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
            TaskThreads.start(on: Threads.shared, task)
        } else {
            Task { await task() }
        }
        return done
    }
}
