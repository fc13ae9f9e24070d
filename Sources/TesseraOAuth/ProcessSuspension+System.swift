// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
internal import Dispatch
internal import Foundation
internal import TesseraSupport

extension ProcessSuspension {
    /// The system's own activities, which app extensions have, too.
    static let system: ProcessSuspension? = {
        let background = BackgroundState()
        return ProcessSuspension(isInBackground: { background.isInBackground }, begin: Self.begin)
    }()

    private static func begin(_ reason: String, _ expired: @escaping @Sendable () -> Void) async -> End? {
        await withCheckedContinuation { continuation in
            let activity = ExpiringActivity(continuation, expired)
            // The block is called on a queue of the system's, and keeps the process running until it returns. It is called
            // a second time, or at once, with `true` when the time is over.
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
                if isExpired { activity.expire() } else { activity.hold() }
            }
        }
    }
}

/// One activity of the system's.
private final class ExpiringActivity: Sendable {
    private let waiting: Mutex<CheckedContinuation<ProcessSuspension.End?, Never>?>
    private let expired: @Sendable () -> Void
    private let work = DispatchGroup()

    init(_ waiting: CheckedContinuation<ProcessSuspension.End?, Never>, _ expired: @escaping @Sendable () -> Void) {
        self.waiting = Mutex(waiting)
        self.expired = expired
        self.work.enter()
    }

    /// Keeps a thread of the system's until the work has ended.
    func hold() {
        let work = self.work
        self.waiting.withLock { $0.take() }?.resume { work.leave() }
        work.wait()
    }

    func expire() {
        if let refused = self.waiting.withLock({ $0.take() }) {
            // There is no work that could be waited for.
            refused.resume(returning: nil)
            return
        }
        self.expired()
        // The process is suspended soon after this returns: locks are released before.
        _ = self.work.wait(timeout: .now() + 2)
    }
}

/// Whether the app is in the background, as its notifications tell.
private final class BackgroundState: Sendable {
    private let value = Mutex(false)

    var isInBackground: Bool { self.value.withLock { $0 } }

    /// The names are those of UIKit, of WatchKit and of app extensions, none of which has to be linked for them.
    init() {
        let entering = [
            "UIApplicationDidEnterBackgroundNotification", "NSExtensionHostDidEnterBackgroundNotification",
            "WKApplicationDidEnterBackgroundNotification",
        ]
        let leaving = [
            "UIApplicationWillEnterForegroundNotification", "NSExtensionHostWillEnterForegroundNotification",
            "WKApplicationWillEnterForegroundNotification",
        ]
        for (names, isInBackground) in [(entering, true), (leaving, false)] {
            for name in names {
                _ = NotificationCenter.default.addObserver(
                    forName: Notification.Name(rawValue: name),
                    object: nil,
                    queue: nil
                ) { [weak self] _ in
                    self?.value.withLock { $0 = isInBackground }
                }
            }
        }
    }
}
#else
extension ProcessSuspension {
    /// This system does not suspend processes.
    static let system: ProcessSuspension? = nil
}
#endif
