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
