// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

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
