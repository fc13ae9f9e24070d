// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraOAuth

extension SignIn {
    /// Signs in a user with the browser.
    ///
    /// This method opens the provider's page in the user's browser, waits for the redirect, and saves the session
    /// before it returns. The store is checked first, so that the user is not asked to consent to a session that cannot
    /// be saved. The user may grant fewer scopes than requested, as reported by ``OAuthSession/grantedScopes``.
    ///
    /// - Throws: `OAuthError` if the provider or the user denies the request, `ProtocolViolationError` if a response
    ///   must not be trusted, or ``SignInError``, ``StoreError``, `TransportError` or `CancellationError`. Nothing is
    ///   saved if this method throws.
    public func signIn(scopes: [Scope], options: SignInOptions = SignInOptions()) async throws -> OAuthSession {
        try await self.response(scopes: scopes, options: options, userAgent: self.userAgent).session
    }

    /// Signs in a user with the given user agent and returns the session together with the token response.
    package func response(
        scopes: [Scope],
        options: SignInOptions,
        userAgent: any UserAgent
    ) async throws -> SignInResult {
        let consent = Consent(scopes: scopes, loginHint: options.loginHint, resources: options.resources)
        return try await self.ask(consent, options, userAgent)
    }

    /// Restores the default account's session, or signs in a user if no session is stored.
    ///
    /// Most apps start with this method. A session is restored only if its user has the options' `requiredClaims`,
    /// which remain required afterward.
    ///
    /// - Returns: The session. The scopes granted to a restored session may differ from `scopes`.
    /// - Throws: Any error that ``restore(_:requiredClaims:)`` or ``signIn(scopes:options:)`` throws.
    public func restoreOrSignIn(
        scopes: [Scope],
        options: SignInOptions = SignInOptions()
    ) async throws -> OAuthSession {
        if let session = try await self.restore(requiredClaims: options.requiredClaims) { return session }
        return try await self.signIn(scopes: scopes, options: options)
    }

    /// Asks the user to consent to additional scopes and updates the session in place.
    ///
    /// The request contains the granted and the new scopes, and identifies the account. If the user chooses another
    /// account, this method throws and the session does not change.
    ///
    /// - Returns: The session's granted scopes. The `missing` property contains the scopes that the user did not grant.
    /// - Throws: ``SignInError`` with the code `scopesAlreadyGranted` if all scopes are already granted or
    ///   `accountMismatch` if the user chose another account, or any error that ``signIn(scopes:options:)`` throws.
    @discardableResult
    public func addScopes(
        _ scopes: [Scope],
        to session: OAuthSession,
        options: SignInOptions = SignInOptions()
    ) async throws -> GrantedScopes {
        try await self.response(adding: scopes, to: session, options: options, userAgent: self.userAgent)
            .session.grantedScopes
    }

    /// Requests additional scopes with the given user agent and returns the session together with the token response.
    package func response(
        adding scopes: [Scope],
        to session: OAuthSession,
        options: SignInOptions,
        userAgent: any UserAgent
    ) async throws -> SignInResult {
        try self.checkOwner(of: session)
        if let ended = session.ended { throw ended }
        let record = session.record
        guard !record.grantedScopes.contains(scopes) else { throw SignInError(.scopesAlreadyGranted) }
        let consent = Consent(
            // Some providers do not list openid as granted, but without it the response does not identify the user.
            scopes: record.grantedScopes.aliases.union(
                record.grantedScopes.granted,
                (record.tokens?.idToken == nil ? [] : [.openID]) + scopes
            ),
            loginHint: options.loginHint ?? record.identity.email ?? record.providerSubject,
            parameters: options.includesGrantedScopes ? self.provider.incrementalParameters : [:],
            resources: options.resources.isEmpty ? record.resources : options.resources,
            expected: record
        )
        return try await self.ask(consent, options, userAgent)
    }

    /// Checks that a session belongs to this provider and client.
    ///
    /// Another provider must not receive its ID token or the user's email address.
    func checkOwner(of session: OAuthSession) throws {
        guard !self.provider.owns(session.account) else { return }
        throw InvalidRequestError("id_token_hint", reason: "the session belongs to another provider or client")
    }

    /// A request for the user's consent.
    struct Consent: Sendable {
        let scopes: [Scope]
        var loginHint: String?
        var parameters: [String: String] = [:]
        let resources: [String]
        /// The record of the session that receives additional scopes, or nil for a new sign-in.
        var expected: SessionRecord?
    }

    private func ask(
        _ consent: Consent,
        _ options: SignInOptions,
        _ userAgent: any UserAgent
    ) async throws -> SignInResult {
        let client = try await self.prepare(consent, options)
        return try await userAgent.withRedirectReceiver(responseMode: options.effectiveResponseMode) { receiver in
            let pending = try await self.begin(consent, options, redirectURI: receiver.redirectURI, by: client)
            return try await receiver.receive(
                from: pending.authorizationURL,
                until: RedirectDeadline(after: options.timeout, on: self.connection.runtime.clock),
                unless: pending.mismatch
            ) { redirect in
                let response = try await self.connection.receive(redirect, for: pending)
                let result = try await self.accept(response, consent, options)
                return (result, self.page(result.session, options.applicationName))
            }
        }
    }

    /// Checks the options, the store and the provider's metadata before anything is sent or shown.
    ///
    /// - Returns: A client with the session's DPoP key, to which authorization codes are bound. Each session has its
    ///   own key.
    func prepare(_ consent: Consent, _ options: SignInOptions) async throws -> RegisteredClient {
        try Self.checkIdentity(options, scopes: consent.scopes)
        try await self.connection.probe(self.store)
        _ = try await self.connection.metadata(isFresh: true)
        let dpopKey = if let key = consent.expected?.dpopKey { key } else { try await self.connection.newDPoPKey() }
        return try await self.connection.registeredClient(dpopKey: dpopKey)
    }

    /// Begins an authorization with the given redirect URI.
    func begin(
        _ consent: Consent,
        _ options: SignInOptions,
        redirectURI: String,
        by client: RegisteredClient
    ) async throws -> PendingAuthorization {
        try await PendingAuthorization.begin(
            self.request(consent, options, redirectURI: redirectURI),
            by: client,
            isPushed: options.pushesAuthorizationRequest,
            signingKey: options.requestSigningKey,
            lifetime: options.timeout
        )
    }

    private func request(
        _ consent: Consent,
        _ options: SignInOptions,
        redirectURI: String
    ) throws -> AuthorizationRequest {
        let parameters = self.provider.authorizationParameters
            .merging(consent.parameters) { $1 }
            .merging(options.serverParameters) { $1 }
            .merging(options.additionalParameters) { $1 }
        return AuthorizationRequest(
            redirectURI: try RedirectURI(redirectURI),
            scopes: consent.scopes,
            responseType: options.responseType,
            responseMode: options.responseMode,
            prompt: options.prompt,
            loginHint: consent.loginHint,
            maxAge: options.maxAge,
            acrValues: options.acrValues,
            uiLocales: options.uiLocales,
            nonce: options.nonce,
            claims: options.claims,
            resources: consent.resources,
            authorizationDetails: options.authorizationDetails,
            additionalParameters: parameters
        )
    }

    /// Returns the contents of the completion page.
    func page(_ session: OAuthSession, _ application: String?, isSignOut: Bool = false) -> CompletionPage {
        let grantedScopes = session.grantedScopes
        return CompletionPage(
            account: session.identity.email ?? session.identity.name ?? session.identity.label,
            provider: self.provider.name,
            application: application,
            granted: isSignOut ? [] : grantedScopes.granted,
            missing: isSignOut ? [] : grantedScopes.missing,
            isSignOut: isSignOut
        )
    }
}
