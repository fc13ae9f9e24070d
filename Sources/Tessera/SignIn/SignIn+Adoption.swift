// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
public import TesseraOAuth

extension SignIn {
    /// Creates a session from credentials that another library obtained for the same client, without a new sign-in.
    ///
    /// The refresh token is used once. The user is identified by the response's ID token, which is verified as usual,
    /// or by the provider's userinfo endpoint if there is no ID token. `options.identity` can supply a custom function
    /// instead. The store is checked first, and the session is saved before this method returns.
    ///
    /// If the provider rotates refresh tokens, the other library can no longer use the old one. Otherwise both
    /// libraries continue to work. The new tokens are bound to a DPoP key according to ``Provider/dpop``.
    ///
    /// Canceling the task has no effect once the refresh token is sent, because the provider may have replaced it.
    ///
    /// - Parameters:
    ///   - credentials: The other library's stored credentials. Do not delete them before this method has returned.
    ///   - options: The sign-in options. Only `identity`, `requiredClaims`, `additionalTokenParameters`,
    ///     `authorizedOrigins`, `label` and `clientType` are used.
    /// - Returns: The saved session.
    /// - Throws: ``SessionEndedError`` with the code `refused` if the provider rejects the refresh token,
    ///   ``SignInError`` with the code `accountMismatch` if the refresh token and the ID token belong to different
    ///   users, `InvalidRequestError` if the credentials come from another token endpoint, or any error that
    ///   ``signIn(scopes:options:)`` throws. If an error occurs after the provider has replaced the refresh token, this
    ///   method throws ``AdoptionInterruptedError`` with that error and the new credentials.
    /// - SeeAlso: [RFC 6749, section 6](https://www.rfc-editor.org/rfc/rfc6749.html#section-6)
    public func adopt(
        _ credentials: ExistingCredentials,
        options: SignInOptions = SignInOptions()
    ) async throws -> OAuthSession {
        try await self.connection.probe(self.store)
        let dpopKey = try await self.connection.newDPoPKey()
        let client = try await self.connection.registeredClient(dpopKey: dpopKey)
        let endpoint = try client.endpoint(\.tokenEndpoint, "token_endpoint")
        if credentials.scopes.contains(.openID) { try client.checkIDTokenAlgorithms() }
        if let named = credentials.tokenEndpoint, named != client.metadata.tokenEndpoint?.url {
            let names = [named, endpoint.url].map { UntrustedText.printable($0) }
            throw InvalidRequestError(
                "token_endpoint",
                reason: "the credentials were issued by \(names[0]), not by \(names[1])"
            )
        }
        var request = TokenRequest.refresh(credentials.refreshToken, at: endpoint)
        request.additionalParameters = options.additionalTokenParameters
        try Task.checkCancellation()
        let adoption = TaskExecutorInheritance.start { [request] in
            try await self.adopt(credentials, with: request, from: client, dpopKey, options)
        }
        return try await adoption.value
    }

    private func adopt(
        _ credentials: ExistingCredentials,
        with request: TokenRequest,
        from client: RegisteredClient,
        _ dpopKey: DPoPKey?,
        _ options: SignInOptions
    ) async throws -> OAuthSession {
        let time = RequestTime(self.connection.runtime)
        let tokens: TokenResponse
        do {
            tokens = try await client.send(request)
        } catch let refusal as OAuthError where refusal.code == .invalidGrant && !refusal.isTransient {
            throw SessionEndedError(.refused, cause: refusal)
        }
        let response = ReceivedTokens(tokens: tokens, time: time, adopted: credentials, dpopKey: dpopKey)
        let consent = Consent(
            // Another library may have stored scope values exactly as the provider returned them.
            scopes: credentials.scopes.filter { ScopeList.isScopeToken($0.rawValue) },
            resources: options.resources
        )
        do {
            return try await self.accept(response, consent, options)
        } catch  where response.refreshTokenReplacedAt != nil {
            var replaced = credentials
            replaced.refreshToken = response.refreshToken ?? credentials.refreshToken
            throw AdoptionInterruptedError(credentials: replaced, cause: error)
        }
    }

    /// Returns the subject of the user to whom tokens belong, from the provider's userinfo endpoint.
    func userInfoSubject(_ received: ReceivedTokens) async throws -> String {
        let token = AccessToken(
            received.tokens.accessToken,
            dpop: received.boundKey.map { self.connection.prover($0) },
            expiresAt: nil
        )
        let source = OneToken(token: token)
        guard let subject = try await self.connection.userInfo(of: source, subject: nil)["sub"]?.string else {
            throw ProtocolViolationError(
                .userInfoSubject,
                expected: "sub",
                section: "OpenID Connect Core 1.0, section 5.3.2"
            )
        }
        return subject
    }
}

/// A token source that cannot refresh its token, because there is no session yet.
private struct OneToken: AccessTokenSource {
    let token: AccessToken
    var authorizedOrigins: [OriginPattern] { [] }

    func accessToken() async throws -> AccessToken { self.token }
    func replacement(forRejected token: AccessToken) async throws -> AccessToken { token }
}

/// Credentials that another library or program has stored, for use with ``SignIn/adopt(_:options:)``.
public struct ExistingCredentials: Sendable, Hashable {
    /// The refresh token, which must have been issued to the same client.
    public var refreshToken: Secret
    /// The most recent ID token issued with the refresh token, or nil if the provider issued none.
    ///
    /// The token is not verified, because its signature may be too old to check. It is used only to confirm that the
    /// refresh token belongs to the same user.
    public var idToken: Secret?
    /// The granted scopes, if known.
    ///
    /// If the provider's response lists scopes, those take precedence.
    public var scopes: [Scope]
    /// The token endpoint that issued the refresh token, if the other library stored it.
    ///
    /// No request is sent to this endpoint. If it differs from the provider's token endpoint, the adoption fails before
    /// anything is sent.
    public var tokenEndpoint: String?

    /// Creates credentials from the values that another library has stored.
    public init(refreshToken: Secret, idToken: Secret? = nil, scopes: [Scope], tokenEndpoint: String? = nil) {
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scopes = scopes
        self.tokenEndpoint = tokenEndpoint
    }

    /// The unverified claims in the ID token.
    var claims: IDTokenClaims? {
        get throws {
            guard let idToken = self.idToken else { return nil }
            return try IDTokenClaims(unverified: idToken)
        }
    }
}

/// An error that occurred after the provider had replaced the refresh token of adopted credentials.
///
/// The other library's refresh token is no longer valid. Try again with ``credentials`` or save them, because the error
/// holds the only copy.
public struct AdoptionInterruptedError: ErrorGuidance, Sendable {
    /// The credentials with the new refresh token.
    public let credentials: ExistingCredentials
    /// The error that prevented the session from being created.
    public let cause: any Error

    /// Creates an error with the credentials that would otherwise be lost.
    public init(credentials: ExistingCredentials, cause: any Error) {
        self.credentials = credentials
        self.cause = cause
    }

    /// Whether adopting ``credentials`` may succeed later without any other change.
    public var isRetryable: Bool { (self.cause as? any ErrorGuidance)?.isRetryable ?? false }
    /// A one-line description of the error.
    public var description: String {
        "The provider replaced the refresh token, but no session was saved: \(self.cause)"
    }
    /// A suggested next step for the user or the developer.
    public var recoverySuggestion: String? {
        let advice = (self.cause as? any ErrorGuidance)?.recoverySuggestion ?? "Try again."
        return "Use the credentials in this error, because the old refresh token is no longer valid. \(advice)"
    }
}
