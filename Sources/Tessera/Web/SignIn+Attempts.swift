// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraOAuth

extension SignIn {
    /// Begins a consent whose answer another process may take.
    func beginAttempt(
        _ scopes: [Scope],
        _ redirectURI: RedirectURI,
        _ options: SignInOptions
    ) async throws -> (PendingAuthorization, url: String) {
        try Self.checkIdentity(options, scopes: scopes)
        try await self.connection.probe(self.store)
        _ = try await self.connection.metadata(isFresh: true)
        let client = try await self.connection.registeredClient(dpopKey: try await self.connection.newDPoPKey())
        let consent = Consent(
            scopes: scopes,
            loginHint: options.loginHint,
            parameters: [:],
            resources: options.resources,
            expected: nil
        )
        let request = try self.request(consent, options, redirectURI: redirectURI.uri)
        let pending = try await self.begin(request, by: client, options)
        return (pending, pending.authorizationURL)
    }

    /// Takes the answer to a consent that was begun by this client, wherever that was.
    func finishAttempt(
        _ kept: Secret,
        _ delivered: DeliveredResponse,
        _ options: SignInOptions
    ) async throws -> OAuthSession {
        let pending = try PendingAuthorization(decoding: kept, by: try await self.connection.registeredClient())
        let response: AuthorizationResponse
        switch try pending.receive(delivered, uptime: self.connection.runtime.uptime()) {
        case .notOurs(let violation): throw violation
        case .response(let plain): response = plain
        case .unverified(let unverified): response = try await self.connection.validate(unverified)
        }
        let consent = Consent(
            scopes: response.request.scopes,
            loginHint: nil,
            parameters: [:],
            resources: response.request.resources,
            expected: nil
        )
        return try await self.accept(response, consent, options).session
    }
}
