// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// How much a `GIDSignInButton` says.
///
/// Named by UIKit's button, and here on every platform.
public enum GIDSignInButtonStyle: Int, CaseIterable, Sendable {
    /// The logo and "Sign in".
    case standard
    /// The logo and "Sign in with Google".
    case wide
    /// The logo alone.
    case iconOnly

    var style: GoogleSignInButtonStyle {
        switch self {
        case .standard: .standard
        case .wide: .wide
        case .iconOnly: .icon
        }
    }
}

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
