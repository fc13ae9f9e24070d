// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The threads of a task, on which the tasks that it starts run, too.
///
/// An unstructured task does not inherit the executor preference of the task that starts it. A caller that blocks its
/// thread until work on other threads has ended would wait for a cooperative thread again, and such callers may block all of
/// those at once.
///
/// - SeeAlso: [SE-0417](https://github.com/swiftlang/swift-evolution/blob/main/proposals/0417-task-executor-preference.md)
package enum TaskThreads {
    /// An `any TaskExecutor`, a type that older systems do not have.
    @TaskLocal private static var current: (any Sendable)?

    /// Whether this task runs on the threads of an executor.
    static var areChosen: Bool { self.current != nil }

    /// Starts a task on the threads of an executor, where all that it starts with ``start(_:)`` run, too.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    package static func start(on executor: any TaskExecutor, _ operation: @escaping @Sendable () async -> Void) {
        self.$current.withValue(executor) { _ = Task(executorPreference: executor) { await operation() } }
    }

    /// Runs an operation on the threads of an executor, where all that it starts with ``start(_:)`` run, too.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    package static func run<Value: Sendable>(
        on executor: any TaskExecutor,
        _ operation: @concurrent @Sendable () async throws -> Value
    ) async throws -> Value {
        try await self.$current.withValue(executor) {
            try await withTaskExecutorPreference(executor) { try await operation() }
        }
    }

    /// Starts a task on the threads of this one.
    package static func start<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) {
            Task(executorPreference: self.current as? any TaskExecutor) { try await operation() }
        } else {
            Task { try await operation() }
        }
    }
}
