// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// The part of an operating system that suspends processes: iOS and its relatives, for apps in the background.
///
/// A process can be suspended between any two instructions, and it is ended when it holds a file lock in a shared
/// container meanwhile. Work that must not be interrupted runs as an activity: the system lets it end, or says that its
/// time is over.
public struct ProcessSuspension: Sendable {
    /// Ends an activity; called once.
    public typealias End = @Sendable () -> Void

    /// Whether the app is in the background, where work that can wait should wait.
    public var isInBackground: @Sendable () -> Bool
    /// Begins an activity, and returns when the process is certain not to be suspended until the activity has ended.
    ///
    /// Returns nil if the system does not allow an activity now. `expired` is called at most once, before the process is
    /// suspended although the activity has not ended.
    public var begin: @Sendable (_ reason: String, _ expired: @escaping @Sendable () -> Void) async -> End?

    /// Creates a value for a system that suspends processes.
    public init(
        isInBackground: @escaping @Sendable () -> Bool,
        begin: @escaping @Sendable (_ reason: String, _ expired: @escaping @Sendable () -> Void) async -> End?
    ) {
        self.isInBackground = isInBackground
        self.begin = begin
    }

    /// Runs `body` as an activity that tells it when its time is over.
    ///
    /// Where the system does not allow an activity, the time is over from the start; `body` decides what that means.
    package func activity<Result: Sendable>(
        _ reason: String,
        _ body: (ActivityTime) async throws -> Result
    ) async throws -> Result {
        let time = ActivityTime()
        let end = await self.begin(reason) { time.expire() }
        if end == nil { time.expire() }
        defer { end?() }
        return try await body(time)
    }
}

extension ProcessSuspension? {
    /// Runs `body` as an activity, or as it is on a system that does not suspend processes.
    package func activity<Result: Sendable>(
        _ reason: String,
        _ body: (ActivityTime) async throws -> Result
    ) async throws -> Result {
        guard let self else { return try await body(.unlimited) }
        return try await self.activity(reason, body)
    }
}

/// The time that an activity has.
package final class ActivityTime: Sendable {
    private struct State {
        var isOver = false
        var handlers: [@Sendable () -> Void] = []
    }

    /// The time of a process that is never suspended.
    package static let unlimited = ActivityTime(isLimited: false)

    private let isLimited: Bool
    private let state = Mutex(State())

    package init(isLimited: Bool = true) { self.isLimited = isLimited }

    /// Whether the process may be suspended at any moment.
    package var isOver: Bool { self.isLimited && self.state.withLock { $0.isOver } }

    fileprivate func expire() {
        let handlers = self.state.withLock { state in
            defer { state.handlers = [] }
            state.isOver = true
            return state.handlers
        }
        for handler in handlers { handler() }
    }

    /// Returns what `operation` returns, or throws ``Unfinished`` with the task that goes on with it when the time is over
    /// first.
    package func run<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard self.isLimited else { return try await operation() }
        let task = Task { try await operation() }
        let (results, continuation) = AsyncStream.makeStream(of: Result<Value, any Error>?.self)
        Task { continuation.yield(await task.result) }
        self.whenOver { continuation.yield(nil) }
        for await result in results {
            guard let result else { break }
            return try result.get()
        }
        throw Unfinished(task: task)
    }

    /// What was begun when the time was over: it goes on, and the process may be suspended meanwhile.
    package struct Unfinished<Value: Sendable>: Error {
        package let task: Task<Value, any Error>
    }

    private func whenOver(_ handler: @escaping @Sendable () -> Void) {
        let isOver = self.state.withLock { state in
            if !state.isOver { state.handlers.append(handler) }
            return state.isOver
        }
        if isOver { handler() }
    }
}
