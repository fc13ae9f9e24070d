// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What one attempt is bound to; travels from the request to the exchange of its code, and nowhere else.
struct AuthorizationBinding: Sendable {
    let issuer: Issuer
    let tokenEndpoint: Endpoint
    let redirectURI: RedirectURI
    let codeVerifier: CodeVerifier
    let nonce: Secret?
    let request: AuthorizationRequest
}
