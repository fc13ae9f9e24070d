// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraOAuth

extension SignIn {
    /// Signs a person in: opens the provider's page in the person's browser and returns the session, saved.
    ///
    /// The store is tried before the browser opens, so that nobody consents to what cannot be kept. What was granted may
    /// be less than was asked: see ``OAuthSession/grant``.
    ///
    /// - Throws: `OAuthError` where the provider or the person said no; ``SignInError``; `ProtocolViolationError` for an
    ///   answer that must not be trusted; ``StoreError``; `TransportError`; `CancellationError`. Nothing is half-saved.
    public func signIn(scopes: [Scope], options: SignInOptions = SignInOptions()) async throws -> OAuthSession {
        try await self.answer(scopes: scopes, options: options, userAgent: self.userAgent).session
    }

    /// The same with a browser of this consent's own, and with the provider's whole answer.
    package func answer(
        scopes: [Scope],
        options: SignInOptions,
        userAgent: any UserAgent
    ) async throws -> SignInAnswer {
        let consent = Consent(scopes: scopes, loginHint: options.loginHint, resources: options.resources)
        return try await self.ask(consent, options, userAgent)
    }

    /// The session that is here already, else a new sign-in: what most programs begin with.
    ///
    /// A session without the options' `requiredClaims` is not restored; of one that is, they stay required.
    ///
    /// - Returns: the newest session of this provider and client; what it was granted may differ from `scopes`.
    /// - Throws: as ``restore(_:requiredClaims:)`` and ``signIn(scopes:options:)``.
    public func restoreOrSignIn(
        scopes: [Scope],
        options: SignInOptions = SignInOptions()
    ) async throws -> OAuthSession {
        if let session = try await self.restore(requiredClaims: options.requiredClaims) { return session }
        return try await self.signIn(scopes: scopes, options: options)
    }

    /// Asks the person for more scopes, in a consent of its own; the session is updated in place.
    ///
    /// The request has the union of what is granted and what is new, and names the account. Another account's answer is
    /// refused and changes nothing.
    ///
    /// - Returns: the grant as it is now; `missing` has what the person unticked.
    /// - Throws: ``SignInError`` `scopesAlreadyGranted` when there is nothing to ask, `accountMismatch`; else as
    ///   ``signIn(scopes:options:)``.
    @discardableResult
    public func addScopes(
        _ scopes: [Scope],
        to session: OAuthSession,
        options: SignInOptions = SignInOptions()
    ) async throws -> Grant {
        try await self.answer(adding: scopes, to: session, options: options, userAgent: self.userAgent).session.grant
    }

    /// The same with a browser of this consent's own, and with the provider's whole answer.
    package func answer(
        adding scopes: [Scope],
        to session: OAuthSession,
        options: SignInOptions,
        userAgent: any UserAgent
    ) async throws -> SignInAnswer {
        try self.checkOwner(of: session)
        if let ended = session.ended { throw ended }
        let record = session.record
        guard !record.grant.contains(scopes) else { throw SignInError(.scopesAlreadyGranted) }
        let consent = Consent(
            // Not every provider lists openid among what it granted, and without it nobody knows who answered.
            scopes: record.grant.aliases.union(
                record.grant.granted,
                (record.tokens?.idToken == nil ? [] : [.openID]) + scopes
            ),
            loginHint: options.loginHint ?? record.identity.email ?? record.account.subject,
            parameters: options.includesEarlierGrants ? self.provider.incrementalParameters : [:],
            resources: options.resources.isEmpty ? record.resources : options.resources,
            expected: record
        )
        return try await self.ask(consent, options, userAgent)
    }

    /// Checks that a session is of this provider and client: its ID token, or its user's address, is not for another provider.
    func checkOwner(of session: OAuthSession) throws {
        guard !self.provider.owns(session.account) else { return }
        throw InvalidRequestError("id_token_hint", reason: "the session belongs to another provider or client")
    }

    /// What one consent asks for, and whose answer it takes.
    struct Consent: Sendable {
        let scopes: [Scope]
        var loginHint: String?
        var parameters: [String: String] = [:]
        let resources: [String]
        /// The session that gets more scopes, nil for a new sign-in.
        var expected: SessionRecord?
    }

    private func ask(
        _ consent: Consent,
        _ options: SignInOptions,
        _ userAgent: any UserAgent
    ) async throws -> SignInAnswer {
        let client = try await self.prepare(consent, options)
        return try await userAgent.withRedirectReceiver(responseMode: options.effectiveResponseMode) { receiver in
            let pending = try await self.begin(consent, options, redirectURI: receiver.redirectURI, by: client)
            return try await receiver.receive(
                from: pending.authorizationURL,
                until: RedirectDeadline(after: options.timeout, on: self.connection.runtime.clock),
                unless: pending.mismatch
            ) { redirect in
                let response = try await self.connection.receive(redirect, for: pending)
                let answer = try await self.accept(response, consent, options)
                return (answer, self.page(answer.session, options.applicationName))
            }
        }
    }

    /// Checks what a consent needs before anything is sent or shown.
    ///
    /// - Returns: The client, whose codes are bound to the session's key. Other sessions do not share a key.
    func prepare(_ consent: Consent, _ options: SignInOptions) async throws -> RegisteredClient {
        try Self.checkIdentity(options, scopes: consent.scopes)
        try await self.connection.probe(self.store)
        _ = try await self.connection.metadata(isFresh: true)
        let dpopKey = if let key = consent.expected?.dpopKey { key } else { try await self.connection.newDPoPKey() }
        return try await self.connection.registeredClient(dpopKey: dpopKey)
    }

    /// Begins an authorization whose response arrives at `redirectURI`.
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

    /// The text of the last page.
    func page(_ session: OAuthSession, _ application: String?, isSignOut: Bool = false) -> CompletionPage {
        let grant = session.grant
        return CompletionPage(
            account: session.identity.email ?? session.identity.name ?? session.identity.label,
            provider: self.provider.name,
            application: application,
            granted: isSignOut ? [] : grant.granted,
            missing: isSignOut ? [] : grant.missing,
            isSignOut: isSignOut
        )
    }
}
