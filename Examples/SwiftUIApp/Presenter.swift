// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif
import TesseraGoogleSignIn

/// What the sign-in sheet appears over: a view controller on iOS, a window on macOS.
@MainActor
enum Presenter {
    /// The one of the scene in the foreground, or nil.
    static var current: GIDPresentation? {
        #if canImport(UIKit)
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        return scenes.first { $0.activationState == .foregroundActive }?.keyWindow?.rootViewController
        #else
        return NSApplication.shared.keyWindow
        #endif
    }
}
