// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Support for operating systems that suspend processes, as iOS does with apps in the background.
///
/// A process can be suspended at any point. If it holds a file lock in a shared container at that time, the system
/// terminates it. Work that must not be interrupted therefore runs as an activity, which the system either allows to
/// complete or notifies when its time runs out.
public struct ProcessSuspension: Sendable {
    /// A function that ends an activity and must be called once.
    public typealias End = @Sendable () -> Void

    /// A function that returns whether the app is in the background, where less urgent work should wait.
    ///
    /// The function returns true if the state is unknown.
    public var isInBackground: @Sendable () -> Bool
    /// A function that begins an activity and returns when the process is protected from suspension.
    ///
    /// The protection lasts until the activity ends. The function returns nil if the system does not currently allow an
    /// activity. `expired` is called at most once, if the process is about to be suspended even though the activity has
    /// not ended.
    public var begin: @Sendable (_ reason: String, _ expired: @escaping @Sendable () -> Void) async -> End?

    /// Creates a value for a system that suspends processes.
    public init(
        isInBackground: @escaping @Sendable () -> Bool,
        begin: @escaping @Sendable (_ reason: String, _ expired: @escaping @Sendable () -> Void) async -> End?
    ) {
        self.isInBackground = isInBackground
        self.begin = begin
    }

    /// Runs `body` as an activity, with its time limit.
    ///
    /// If the system does not allow an activity, the time has already run out if the app is in the background, and is
    /// unlimited if it is in the foreground. A process that does not support activities, such as a test without an app,
    /// is not suspended.
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
    /// The system's activities, which are also available in app extensions.
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

// The names are those of UIKit, WatchKit and app extensions, which need not be linked.
extension BackgroundState {
    /// Creates the state for this process, which is updated by notifications.
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
        // An extension has no app object. If it has a user interface, a notification is posted when the interface
        // appears.
        if !Bundle.main.bundlePath.hasSuffix(".appex") {
            // The app object must be used on the main thread, and may not exist until the main queue runs.
            DispatchQueue.main.async { state.begin(isInBackground: Self.isAppInBackground()) }
        }
        return state
    }

    /// Returns whether the app is in the background, or false in a process without an app object, such as a test.
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
    /// Nil, because this system does not suspend processes.
    static let system: ProcessSuspension? = nil
}
#endif

/// The app's last known background state.
final class BackgroundState: Sendable {
    private let known = Mutex<Bool?>(nil)

    /// Whether the app is in the background, or true if its state is not known.
    ///
    /// There is no notification for an app that the system starts in the background, and a widget is never in the
    /// foreground.
    var isInBackground: Bool { self.known.withLock { $0 ?? true } }

    /// Sets the state from a notification.
    func change(isInBackground: Bool) { self.known.withLock { $0 = isInBackground } }

    /// Sets the app's initial state unless a notification has already set it.
    func begin(isInBackground: Bool) { self.known.withLock { $0 = $0 ?? isInBackground } }
}
