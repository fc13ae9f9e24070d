// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What one attempt is bound to; travels from the request to the exchange of its code, and nowhere else.
struct AuthorizationBinding: Sendable {
    let issuer: Issuer
    let tokenEndpoint: Endpoint
    let redirectURI: RedirectURI
    let codeVerifier: CodeVerifier
    let nonce: Secret?
    let dpopKey: DPoPKey?
    let request: AuthorizationRequest

    /// What the nonce of an ID token has to be: the one that was sent, none where none was.
    var nonceRule: IDTokenPolicy.NonceRule { self.nonce.map { .equal($0) } ?? .absent }
}
