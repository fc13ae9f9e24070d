// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

extension ClaimsRequest {
    /// These claims, asked for in the ID token.
    ///
    /// - Throws: ``GIDSignInError`` `ambiguousClaims` where one is there as essential and not.
    init(_ claims: Set<GIDClaim>) throws(GIDSignInError) {
        self.init()
        for claim in claims {
            guard self.idToken.updateValue(claim.isEssential ? .essential : .voluntary, forKey: claim.name) == nil
            else {
                throw GIDSignInError(.ambiguousClaims, detail: claim.name)
            }
        }
    }
}
