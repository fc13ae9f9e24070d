// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// How a sign-in learns who the person is.
public enum IdentitySource: Sendable {
    /// From the ID token: the scopes have to contain `openid`.
    case idToken
    /// From the caller, for a provider without ID tokens: the function gets the access token, asks the provider's own
    /// API, and returns an identifier that never changes hands. It is asked again when scopes are added. A token that is
    /// bound to a key (``DPoPPolicy``) is of no use to it.
    case caller(@Sendable (_ accessToken: Secret) async throws -> String)
}
