// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// How much the button says.
public enum GoogleSignInButtonStyle: String, Identifiable, CaseIterable, Sendable {
    /// The logo and "Sign in".
    case standard
    /// The logo and "Sign in with Google".
    case wide
    /// The logo alone.
    case icon

    /// The style itself.
    public var id: String { self.rawValue }
}

/// The button's colours.
public enum GoogleSignInButtonColorScheme: String, Identifiable, CaseIterable, Sendable {
    /// Light words on a dark ground.
    case dark
    /// Dark words on a light ground.
    case light

    /// The scheme itself.
    public var id: String { self.rawValue }
}

/// What the button is doing.
public enum GoogleSignInButtonState: String, Identifiable, CaseIterable, Sendable {
    /// It waits to be pressed.
    case normal
    /// It cannot be pressed.
    case disabled
    /// It is being pressed.
    case pressed

    /// The state itself.
    public var id: String { self.rawValue }

    /// What is shown of a state that was asked for while the system disables or presses the button.
    func shown(isEnabled: Bool, isPressed: Bool) -> GoogleSignInButtonState {
        guard isEnabled, self != .disabled else { return .disabled }
        return isPressed ? .pressed : self
    }
}

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
