// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import AppAuth
internal import GoogleSignIn

/// A library that uses the original libraries.
public enum OriginalClient {
    /// The state of the original libraries.
    public static var description: String {
        let state: AppAuth.OIDAuthState = GoogleSignIn.GIDSignIn().authState
        return state.isAuthorized ? "authorized" : "not authorized"
    }
}
