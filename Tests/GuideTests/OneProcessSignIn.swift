// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraOAuth

// guide: web-server
/// Signs visitors in to a website that runs in one process.
actor OneProcessSignIn {
    private let client: RegisteredClient
    private let keys: KeySetCache
    private let redirectURI: RedirectURI
    private var attempts: [String: PendingAuthorization] = [:]

    init(_ client: RegisteredClient, keys: Endpoint, redirectURI: RedirectURI) {
        self.client = client
        self.keys = KeySetCache(keys, runtime: client.runtime)
        self.redirectURI = redirectURI
    }

    /// Returns the URL where a visitor signs in.
    ///
    /// `visitor` is the random value of the visitor's cookie.
    func begin(for visitor: String) async throws -> String {
        let request = AuthorizationRequest(redirectURI: self.redirectURI, scopes: [.openID, .email])
        let attempt = try await PendingAuthorization.begin(request, by: self.client)
        self.attempts[visitor] = attempt
        return attempt.authorizationURL
    }

    /// Returns the visitor's claims after the redirect, or nil if it does not belong to the visitor's sign-in.
    func finish(for visitor: String, at uri: String) async throws -> IDTokenClaims? {
        let redirect = DeliveredResponse.redirect(uri)
        guard let attempt = self.attempts[visitor], attempt.matches(redirect) else { return nil }
        self.attempts[visitor] = nil
        let response = try await attempt.receive(redirect)
        let tokens = try await self.client.send(TokenRequest.authorizationCode(response))
        guard let idToken = tokens.idToken else { return nil }
        let policy = IDTokenPolicy(
            issuer: response.issuer,
            clientID: self.client.client.clientID,
            algorithms: self.client.idTokenAlgorithms,
            nonce: response.nonceRule,
            accessToken: tokens.accessToken
        )
        return try await self.keys.validate(idToken, policy: policy).claims
    }
}
// end
