// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The content of the button.
public enum GoogleSignInButtonStyle: String, Identifiable, CaseIterable, Sendable {
    /// The logo and "Sign in".
    case standard
    /// The logo and "Sign in with Google".
    case wide
    /// The logo alone.
    case icon

    /// The raw value.
    public var id: String { self.rawValue }
}

/// The color scheme of the button.
public enum GoogleSignInButtonColorScheme: String, Identifiable, CaseIterable, Sendable {
    /// Light text on a dark background.
    case dark
    /// Dark text on a light background.
    case light

    /// The raw value.
    public var id: String { self.rawValue }
}

/// The state of the button.
public enum GoogleSignInButtonState: String, Identifiable, CaseIterable, Sendable {
    /// The button can be pressed.
    case normal
    /// The button cannot be pressed.
    case disabled
    /// The button is being pressed.
    case pressed

    /// The raw value.
    public var id: String { self.rawValue }

    /// Returns the state to display, based on whether the system has enabled the button and whether it is being
    /// pressed.
    func shown(isEnabled: Bool, isPressed: Bool) -> GoogleSignInButtonState {
        guard isEnabled, self != .disabled else { return .disabled }
        return isPressed ? .pressed : self
    }
}

/// The content of a `GIDSignInButton`.
///
/// This type is available on all platforms, not only with UIKit.
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

/// The color scheme of a `GIDSignInButton`.
///
/// This type is available on all platforms, not only with UIKit.
public enum GIDSignInButtonColorScheme: Int, CaseIterable, Sendable {
    /// Light text on a dark background.
    case dark
    /// Dark text on a light background.
    case light

    var scheme: GoogleSignInButtonColorScheme {
        switch self {
        case .dark: .dark
        case .light: .light
        }
    }
}
