// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The part of an operating system that suspends processes: iOS and its relatives, for apps in the background.
///
/// A process can be suspended between any two instructions, and it is ended when it holds a file lock in a shared
/// container meanwhile. Work that must not be interrupted runs as an activity: the system lets it end, or says that its
/// time is over.
public struct ProcessSuspension: Sendable {
    /// Ends an activity; called once.
    public typealias End = @Sendable () -> Void

    /// Whether the app is in the background, where work that can wait should wait.
    ///
    /// True while that is not known.
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
    /// Where the system does not allow an activity, the time is over from the start if the app is in the background. In the
    /// foreground it is unlimited: a process that has no activities at all, such as a test without an app, is not suspended.
    package func activity<Result: Sendable>(
        _ reason: String,
        _ body: (ActivityTime) async throws -> Result
    ) async throws -> Result {
        let time = ActivityTime()
        let end = await self.begin(reason) { time.expire() }
        if end == nil, self.isInBackground() { time.expire() }
        defer { end?() }
        return try await body(time)
    }
}

extension ProcessSuspension? {
    /// Runs `body` as an activity, or without one on a system that does not suspend processes.
    package func activity<Result: Sendable>(
        _ reason: String,
        _ body: (ActivityTime) async throws -> Result
    ) async throws -> Result {
        guard let self else { return try await body(.unlimited) }
        return try await self.activity(reason, body)
    }
}
