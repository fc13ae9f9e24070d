// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
public import TesseraOAuth

extension SignIn {
    /// Signs in a user to an app and requests a one-time code for the app's backend server.
    ///
    /// The request identifies the server with the `audience` parameter, which Google supports. The audience of the ID
    /// token is then the server, both for this sign-in and for later refreshes.
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request for the app and its server.
    ///   - serverClientID: The server's client ID, from the same project as the app's.
    ///   - options: Further sign-in options.
    /// - Returns: The saved session, and the code and ID token to send to the server.
    /// - Throws: Any error that ``signIn(scopes:options:)`` throws.
    public func signIn(
        scopes: [Scope],
        forServer serverClientID: String,
        options: SignInOptions = SignInOptions()
    ) async throws -> SignInResult {
        var options = options
        options.serverClientID = serverClientID
        return try await self.response(scopes: scopes, options: options, userAgent: self.userAgent)
    }

    /// Requests additional scopes for an app and its backend server, with a one-time code for all of them.
    ///
    /// - Returns: The session, updated in place, and the code and ID token to send to the server.
    /// - Throws: Any error that ``addScopes(_:to:options:)`` throws.
    public func addScopes(
        _ scopes: [Scope],
        to session: OAuthSession,
        forServer serverClientID: String,
        options: SignInOptions = SignInOptions()
    ) async throws -> SignInResult {
        var options = options
        options.serverClientID = serverClientID
        return try await self.response(adding: scopes, to: session, options: options, userAgent: self.userAgent)
    }
}

/// The result of a sign-in for an app and its backend server.
///
/// The code and the ID token for the server are not stored. Send them to the server immediately, over TLS.
public struct SignInResult: Sendable {
    /// The app's saved session.
    public let session: OAuthSession
    /// The provider's token response, including members that are not stored.
    package let tokens: TokenResponse

    /// The one-time code that the server exchanges for its own tokens, or nil if the provider returned none.
    ///
    /// The server passes it to ``SignIn/redeem(_:of:scopes:options:)``.
    public var serverAuthCode: Secret? { self.tokens.document["server_code"]?.string.map { Secret($0) } }
    /// The user's ID token, which the server passes to ``SignIn/verify(_:fromApps:nonce:)``.
    public var idToken: Secret? { self.tokens.idToken }
}

extension SignIn {
    /// Verifies an ID token that an app sent to its backend server.
    ///
    /// The provider must have issued the token for this client, during a sign-in to one of the given apps.
    ///
    /// An ID token identifies the user, but not the sender of the request. Accept it only over TLS, and check `exp`
    /// each time you accept it instead of a password. To ensure that the token belongs to a particular sign-in, issue a
    /// nonce to the app and pass it here.
    ///
    /// - Parameters:
    ///   - idToken: The ID token.
    ///   - apps: The client IDs of the apps. The token's `azp` must be one of them or this client.
    ///   - nonce: The nonce that the server issued to the app, or nil if it did not issue one.
    /// - Returns: The token with its claims.
    /// - Throws: `ProtocolViolationError` if the token must not be trusted, or any error from fetching the provider's
    ///   keys.
    /// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
    public func verify(
        _ idToken: Secret,
        fromApps apps: [String],
        nonce: Secret? = nil
    ) async throws -> ValidatedIDToken {
        _ = try await self.connection.metadataForReceivedToken()
        var policy = self.connection.idTokenPolicy(nonce: nonce.map { .equal($0) } ?? .unchecked, accessToken: nil)
        policy.otherAuthorizedParties = apps
        return try await self.connection.validate(idToken, policy: policy)
    }

    /// Creates a session for this server from a code that an app obtained for it.
    ///
    /// The user consented in the app and does not need to be present. The store is checked before the code is sent,
    /// because a code can be used only once. The ID token of the token response identifies the user. If the app sent an
    /// ID token too, both must belong to the same user.
    ///
    /// Google issues a refresh token only with the user's first consent, unless the app requests another one. If the
    /// response has no refresh token, the stored one is retained. If none is stored, the session ends when its access
    /// token expires. New tokens are bound to a DPoP key according to ``Provider/dpop``, and a stored refresh token that
    /// is bound to another key is not retained.
    ///
    /// Canceling the task has no effect once the code is sent, because the provider may issue a refresh token only once.
    ///
    /// - Parameters:
    ///   - code: The code from the app.
    ///   - idToken: The verified ID token that the app sent with the code (``verify(_:fromApps:nonce:)``), or nil if it
    ///     did not send one.
    ///   - scopes: The scopes that the app requested. If the provider's response lists scopes, those take precedence.
    ///   - options: The sign-in options. Only `identity`, `requiredClaims`, `resources`, `additionalTokenParameters`,
    ///     `authorizedOrigins`, `label` and `clientType` are used.
    /// - Returns: The saved session.
    /// - Throws: `OAuthError` with the code `invalid_grant` if the code is invalid or has expired, ``SignInError`` with
    ///   the code `accountMismatch` if the code and the ID token belong to different users, or any error that
    ///   ``signIn(scopes:options:)`` throws. Nothing is saved if the users differ.
    public func redeem(
        _ code: ServerAuthCode,
        of idToken: ValidatedIDToken?,
        scopes: [Scope] = [],
        options: SignInOptions = SignInOptions()
    ) async throws -> OAuthSession {
        try await self.connection.probe(self.store)
        let dpopKey = try await self.connection.newDPoPKey()
        let client = try await self.connection.registeredClient(dpopKey: dpopKey)
        if case .idToken = options.identity { try client.checkIDTokenAlgorithms() }
        var request = TokenRequest.serverAuthCode(code)
        request.resources = options.resources
        request.additionalParameters = options.additionalTokenParameters
        let consent = Consent(scopes: scopes, resources: options.resources)
        try Task.checkCancellation()
        let redemption = TaskExecutorInheritance.start { [request] in
            let time = RequestTime(self.connection.runtime)
            let tokens = try await client.send(request)
            let app = AppConsent(idToken: idToken)
            let response = ReceivedTokens(tokens: tokens, time: time, app: app, dpopKey: dpopKey)
            return try await self.accept(response, consent, options)
        }
        return try await redemption.value
    }

    /// The consent that the user gave this server in an app.
    struct AppConsent: Sendable {
        /// The verified ID token that the app sent, or nil if it did not send one.
        let idToken: ValidatedIDToken?

        /// Adapts the policy for the code exchange's ID token to the app's sign-in.
        ///
        /// The token may contain the app's `nonce`, and its authorized party may be the app.
        func bind(_ policy: inout IDTokenPolicy) {
            guard let claims = self.idToken?.claims else {
                policy.nonce = .unchecked
                return
            }
            policy.nonce = .absentOrEqual(claims.nonce.map(Secret.init))
            policy.otherAuthorizedParties = claims.authorizedParty.map { [$0] } ?? []
        }

        /// Checks that the ID tokens from the app and the code exchange identify the same user at the same provider.
        func check(_ subject: String, _ provider: Provider) throws {
            guard let claims = self.idToken?.claims else { return }
            let issuers = [provider.issuer.url] + provider.issuerAliases
            // The tokens are discarded without revoking them: revocation could end other sessions of that user.
            guard claims.subject.isExactly(subject), issuers.contains(where: claims.issuer.isExactly) else {
                throw SignInError(.accountMismatch, detail: "the code and the ID token belong to different users")
            }
        }
    }
}
