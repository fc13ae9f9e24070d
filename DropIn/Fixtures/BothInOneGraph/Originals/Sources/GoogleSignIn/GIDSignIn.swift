// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import AppAuth

/// A class with the name of one of Tessera's classes.
public final class GIDSignIn {
    /// Creates an object.
    public init() {}

    /// The state of the sign-in.
    public var authState: OIDAuthState { OIDAuthState() }
}
