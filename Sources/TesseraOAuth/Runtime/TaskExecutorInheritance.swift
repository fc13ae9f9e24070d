// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Functions that start tasks on the executor of the current task.
///
/// An unstructured task does not inherit the executor preference of the task that starts it, so it needs a cooperative
/// thread. If callers block all cooperative threads while they wait for such tasks, none of the tasks can run.
///
/// - SeeAlso: [SE-0417](https://github.com/swiftlang/swift-evolution/blob/main/proposals/0417-task-executor-preference.md)
package enum TaskExecutorInheritance {
    /// The executor, which is an `any TaskExecutor`, a type that older systems do not have.
    @TaskLocal private static var current: (any Sendable)?

    /// Whether this task is running on a chosen executor.
    static var isActive: Bool { self.current != nil }

    /// Starts a task on an executor, which is inherited by tasks that it starts with ``start(_:)``.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    package static func start(on executor: any TaskExecutor, _ operation: @escaping @Sendable () async -> Void) {
        self.$current.withValue(executor) { _ = Task(executorPreference: executor) { await operation() } }
    }

    /// Runs an operation on an executor, which is inherited by tasks that it starts with ``start(_:)``.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    package static func run<Value: Sendable>(
        on executor: any TaskExecutor,
        _ operation: @concurrent @Sendable () async throws -> Value
    ) async throws -> Value {
        try await self.$current.withValue(executor) {
            try await withTaskExecutorPreference(executor) { try await operation() }
        }
    }

    /// Starts a task on the executor of the current task, if one was chosen.
    ///
    /// The task does little work, and others may wait for it through a continuation, which does not raise its priority.
    /// So its priority is high even if the current task's is low.
    package static func start<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) {
            Task(executorPreference: self.current as? any TaskExecutor, priority: .high) { try await operation() }
        } else {
            Task(priority: .high) { try await operation() }
        }
    }
}
