// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
