// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The button's colours.
public enum GoogleSignInButtonColorScheme: String, Identifiable, CaseIterable, Sendable {
    /// Light words on a dark ground.
    case dark
    /// Dark words on a light ground.
    case light

    /// The scheme itself.
    public var id: String { self.rawValue }
}
