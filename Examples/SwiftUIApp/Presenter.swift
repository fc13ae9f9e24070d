// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif
import TesseraGoogleSignIn

/// The anchor of the sign-in sheet: a view controller on iOS, a window on macOS.
@MainActor
enum Presenter {
    /// The root view controller of the foreground scene on iOS or the key window on macOS, if any.
    static var current: GIDPresentation? {
        #if canImport(UIKit)
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        return scenes.first { $0.activationState == .foregroundActive }?.keyWindow?.rootViewController
        #else
        return NSApplication.shared.keyWindow
        #endif
    }
}
