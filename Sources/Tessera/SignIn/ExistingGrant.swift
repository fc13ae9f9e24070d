// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraOAuth

/// A grant that a person gave before, and that another library or program has kept: what ``SignIn/adopt(_:options:)``
/// makes a session of.
public struct ExistingGrant: Sendable, Hashable {
    /// The refresh token, which was given to this very client.
    public var refreshToken: Secret
    /// The newest ID token that came with it, nil where there was none.
    ///
    /// It says who the person should be, and is believed in nothing else: its signature may be too old to be verified.
    public var idToken: Secret?
    /// What was granted, as far as anybody knows; the provider's answer counts where it names scopes.
    public var scopes: [Scope]
    /// The token endpoint that gave the refresh token, where the other library kept that too.
    ///
    /// It is never sent anything by itself: where it is not the provider's own, nothing is sent at all.
    public var tokenEndpoint: String?

    /// A grant.
    public init(refreshToken: Secret, idToken: Secret? = nil, scopes: [Scope], tokenEndpoint: String? = nil) {
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scopes = scopes
        self.tokenEndpoint = tokenEndpoint
    }

    /// What the ID token says, unverified.
    var claims: IDTokenClaims? {
        get throws {
            guard let idToken = self.idToken else { return nil }
            return try IDTokenClaims(unverified: idToken)
        }
    }
}
