// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A class with the name of one of Tessera's classes.
public final class OIDAuthState {
    /// Creates a state.
    public init() {}

    /// Whether the user is signed in.
    public var isAuthorized: Bool { false }
}
