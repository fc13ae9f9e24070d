// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

/// Google's scopes that have two spellings.
enum GoogleScopes {
    static let aliases = ScopeAliases([
        "https://www.googleapis.com/auth/userinfo.email": .email,
        "https://www.googleapis.com/auth/userinfo.profile": .profile,
    ])
}

extension SignInOptions {
    /// Asks for an account of one Google Workspace domain and refuses any other: the page is only told (`hd`), the ID
    /// token's claim decides.
    public mutating func requireHostedDomain(_ domain: String) {
        self.additionalParameters["hd"] = domain
        self.requiredClaims["hd"] = domain
    }
}
