// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import TesseraOAuth
internal import Testing

@Suite("Task threads", .timeLimit(.minutes(1)))
struct TaskThreadsTests {
    /// An executor that can tell whether code runs on its queue.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    private final class Queue: TaskExecutor {
        private static let key = DispatchSpecificKey<Bool>()
        private let queue = DispatchQueue(label: "threads")

        init() { self.queue.setSpecific(key: Self.key, value: true) }

        static var isCurrent: Bool { DispatchQueue.getSpecific(key: self.key) == true }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            self.queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    enum Call: CaseIterable, Sendable {
        case flight, activity, waitingActivity

        @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
        func value() async throws -> Bool {
            let work: @Sendable () async throws -> Bool = { Queue.isCurrent }
            return switch self {
            case .flight: try await SingleFlight<Bool>().run(work)
            case .activity: try await ActivityTime().run(work)
            case .waitingActivity: try await ActivityTime().run(waiting: { _ in try await work() })
            }
        }
    }

    @Test("A flight or activity runs its work on the threads of the calling task", arguments: Call.allCases)
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    func inherited(_ call: Call) async throws {
        #expect(try await TaskExecutorInheritance.run(on: Queue()) { try await call.value() })
        #expect(try await !call.value())
    }

    @Test("A nested task inherits the threads of the task that starts it")
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    func nested() async {
        let isInherited = await withCheckedContinuation { continuation in
            TaskExecutorInheritance.start(on: Queue()) {
                let task = TaskExecutorInheritance.start {
                    await TaskExecutorInheritance.start { Queue.isCurrent }.result
                }
                continuation.resume(returning: try? await task.value.get())
            }
        }
        #expect(isInherited == true)
    }
}
