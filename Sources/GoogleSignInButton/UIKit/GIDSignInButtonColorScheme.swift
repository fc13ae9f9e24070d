// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The colours of a `GIDSignInButton`.
///
/// Named by UIKit's button, and here on every platform.
public enum GIDSignInButtonColorScheme: Int, CaseIterable, Sendable {
    /// Light words on a dark ground.
    case dark
    /// Dark words on a light ground.
    case light

    var scheme: GoogleSignInButtonColorScheme {
        switch self {
        case .dark: .dark
        case .light: .light
        }
    }
}
