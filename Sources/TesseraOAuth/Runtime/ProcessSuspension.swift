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

#if canImport(Darwin) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
internal import Dispatch
internal import Foundation

extension ProcessSuspension {
    /// The system's own activities, which app extensions have, too.
    static let system: ProcessSuspension? = {
        let background = BackgroundState.ofProcess()
        let activities = ExpiringActivities { reason, block in
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: block)
        }
        return ProcessSuspension(
            isInBackground: { background.isInBackground },
            begin: { reason, expired in await activities.begin(reason, expired) }
        )
    }()
}

// The names are those of UIKit, of WatchKit and of app extensions, none of which has to be linked for them.
extension BackgroundState {
    /// Creates the state of this process, which notifications change from then on.
    fileprivate static func ofProcess() -> BackgroundState {
        let state = BackgroundState()
        for prefix in ["UIApplication", "NSExtensionHost", "WKApplication"] {
            for (name, isInBackground) in [
                ("DidEnterBackground", true), ("WillEnterForeground", false), ("DidBecomeActive", false),
            ] {
                _ = NotificationCenter.default.addObserver(
                    forName: Notification.Name(rawValue: "\(prefix)\(name)Notification"),
                    object: nil,
                    queue: nil
                ) { _ in state.change(isInBackground: isInBackground) }
            }
        }
        // An extension has no app object. One that has a user interface is notified when that appears.
        if !Bundle.main.bundlePath.hasSuffix(".appex") {
            // The app object belongs to the main thread, and may not exist before the main queue runs.
            DispatchQueue.main.async { state.begin(isInBackground: Self.isAppInBackground()) }
        }
        return state
    }

    /// Whether the app object says so; false in a process without one, such as a test without an app.
    private static func isAppInBackground() -> Bool {
        for name in ["UIApplication", "WKApplication"] {
            guard let type = NSClassFromString(name) as? NSObject.Type,
                let application = type.value(forKey: "sharedApplication") as? NSObject,
                let state = application.value(forKey: "applicationState") as? NSNumber
            else { continue }
            // `background` is 2 in UIApplication.State and in WKApplicationState.
            return state.intValue == 2
        }
        return false
    }
}
#else
extension ProcessSuspension {
    /// This system does not suspend processes.
    static let system: ProcessSuspension? = nil
}
#endif

/// Whether the app is in the background, as far as that is known.
final class BackgroundState: Sendable {
    private let known = Mutex<Bool?>(nil)

    /// Whether the app is in the background; true while nothing has said so.
    ///
    /// An app that the system starts in the background is not notified of that, and a widget is never in the foreground.
    var isInBackground: Bool { self.known.withLock { $0 ?? true } }

    /// Takes what a notification says.
    func change(isInBackground: Bool) { self.known.withLock { $0 = isInBackground } }

    /// Takes the state in which the app was found, unless a notification came first.
    func begin(isInBackground: Bool) { self.known.withLock { $0 = $0 ?? isInBackground } }
}
