// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

extension SignIn {
    /// Tokens that a consent brought, and what their ID token has to fit.
    struct Answer: Sendable {
        let tokens: TokenResponse
        /// Before the request for them was sent.
        let obtainedAt: Date
        /// What the tokens were exchanged for; nil where the consent was given on another device, or to another library.
        var response: AuthorizationResponse?
        /// The grant that the tokens were refreshed from; nil where the consent was given here.
        var adopted: ExistingGrant?
        /// Where the consent was given to an app that passed its code on; nil where it was given here.
        var app: AppConsent?
        /// The key that was proved.
        var dpopKey: DPoPKey?
        /// What the next refresh sends: the answer's, or what was sent.
        var refreshToken: Secret? { self.tokens.refreshToken ?? self.adopted?.refreshToken }
        /// When a refresh token was seen to replace the one before it.
        var refreshTokenReplacedAt: Date? {
            guard let before = self.adopted?.refreshToken, self.refreshToken != before else { return nil }
            return self.obtainedAt
        }
    }

    /// Turns a code into a saved session: exchange, checks, save, and only then the session.
    func accept(
        _ response: AuthorizationResponse,
        _ consent: Consent,
        _ options: SignInOptions
    ) async throws -> SignInAnswer {
        let obtainedAt = self.connection.runtime.now()
        var request = TokenRequest.authorizationCode(response)
        request.additionalParameters = options.serverParameters.merging(options.additionalTokenParameters) { $1 }
        // A code is sent once: after a failure here the person starts anew.
        let tokens = try await self.connection.registeredClient(dpopKey: response.dpopKey)
            .send(request)
        let answer = Answer(tokens: tokens, obtainedAt: obtainedAt, response: response, dpopKey: response.dpopKey)
        return SignInAnswer(session: try await self.accept(answer, consent, options), tokens: tokens)
    }

    /// Turns tokens into a saved session: checks, save, and only then the session.
    func accept(_ received: Answer, _ consent: Consent, _ options: SignInOptions) async throws -> OAuthSession {
        let idToken = try await self.validatedIDToken(received, options)
        let claims = idToken?.claims
        let subject = try await self.subject(received, claims, options)
        let provider = try await self.connection.resolvedProvider()
        let account = Account(issuer: provider.issuer.url, clientID: provider.client.clientID, subject: subject)
        if let expected = consent.expected, expected.account != account {
            throw SignInError(.accountMismatch, detail: "the answer is about another person")
        }
        if let before = try received.adopted?.claims, !before.subject.isExactly(subject) {
            throw SignInError(.accountMismatch, detail: "the grant is another person's than its ID token says")
        }
        try received.app?.check(subject, provider)
        try Self.check(claims, options.requiredClaims, of: consent.expected)

        return try await self.connection.update(account, in: self.store) { entry, _ in
            let previous = try await self.previous(account, entry, consent)
            if consent.expected != nil, previous == nil { throw SessionEndedError(.signedOut) }
            let record = self.record(account, received, idToken, consent, options, provider, previous: previous)
            try await entry.save(record)
            // Still under the account's lock: a refresh that comes next finds the new consent in memory too.
            return self.session(record, isNewConsent: true)
        }
    }

    /// The session that the consent goes on with; a damaged record is none, and what the person consented to replaces it.
    private func previous(
        _ account: Account,
        _ entry: SessionStoreEntry,
        _ consent: Consent
    ) async throws -> SessionRecord? {
        do {
            return try await entry.load().map { self.session(of: account)?.newest($0) ?? $0 }
        } catch let error as StoreError where error.code == .corrupt {
            return consent.expected
        }
    }

    private func validatedIDToken(_ answer: Answer, _ options: SignInOptions) async throws -> ValidatedIDToken? {
        guard let idToken = answer.tokens.idToken else { return nil }
        var policy = self.connection.idTokenPolicy(nonce: .absent, accessToken: answer.tokens.accessToken)
        if let response = answer.response { policy.bind(to: response) } else { policy.maxAge = options.maxAge }
        policy.otherAudiences = options.serverClientID.map { [$0] } ?? []
        answer.app?.bind(&policy)
        if let before = try answer.adopted?.claims {
            // OpenID Connect Core 1.0, section 12.2: the nonce of the first ID token, or none.
            policy.nonce = .absentOrEqual(before.nonce.map(Secret.init))
        }
        return try await self.connection.validate(idToken, policy: policy)
    }

    /// What a sign-in needs to know the person, looked at before anything is sent.
    static func checkIdentity(_ options: SignInOptions, scopes: [Scope]) throws {
        guard case .idToken = options.identity, !scopes.contains(.openID) else { return }
        throw InvalidRequestError(
            "scope",
            reason: "without openid nobody knows who signed in; add it, or name the identity"
        )
    }

    private func subject(
        _ received: Answer,
        _ claims: IDTokenClaims?,
        _ options: SignInOptions
    ) async throws -> String {
        switch options.identity {
        case .idToken:
            if claims == nil, let adopted = received.adopted {
                return try await self.subject(of: adopted, received.tokens)
            }
            guard let claims else {
                throw ProtocolViolationError(
                    .idTokenMissing,
                    expected: "an id_token",
                    section: "OpenID Connect Core 1.0, section 3.1.3.3"
                )
            }
            return claims.subject
        case .caller(let identify):
            return try await identify(received.tokens.accessToken)
        }
    }

    /// Checks what the caller requires now, and that nothing contradicts what the session's first sign-in required.
    private static func check(
        _ claims: IDTokenClaims?,
        _ required: [String: String],
        of session: SessionRecord?
    ) throws {
        let earlier = RequiredClaims((session?.requiredClaims ?? [:]).filter { required[$0.key] == nil })
        let mismatch =
            RequiredClaims(required).mismatch(at: claims) ?? claims.flatMap { earlier.contradiction(in: $0) }
        if let mismatch { throw SignInError(.domainMismatch, detail: mismatch.text) }
    }

    private func record(
        _ account: Account,
        _ received: Answer,
        _ idToken: ValidatedIDToken?,
        _ consent: Consent,
        _ options: SignInOptions,
        _ provider: Provider,
        previous: SessionRecord?
    ) -> SessionRecord {
        let (answer, obtainedAt) = (received.tokens, received.obtainedAt)
        let dpopKey = answer.tokenType == .dpop ? received.dpopKey : nil
        let earlier = consent.expected ?? previous
        // A refresh token that is bound to another key is not usable beside these tokens.
        let isKept =
            received.refreshToken == nil && previous?.tokens?.refreshToken != nil && previous?.dpopKey == dpopKey
        let kept = isKept ? previous?.tokens : nil
        let aliases = provider.scopeAliases
        let requested = consent.expected.map { aliases.union($0.grant.requested, consent.scopes) } ?? consent.scopes
        var origins = earlier?.authorizedOrigins ?? []
        for origin in provider.authorizedOrigins + options.authorizedOrigins where !origins.contains(origin) {
            origins.append(origin)
        }
        let refreshTokenExpiresAt = answer.refreshTokenExpiresIn.map { obtainedAt.addingTimeInterval(Double($0)) }
        return SessionRecord(
            account: account,
            generation: (previous?.generation ?? 0) + 1,
            tokens: TokenSet(
                accessToken: answer.accessToken,
                tokenType: answer.tokenType,
                obtainedAt: obtainedAt,
                lifetime: answer.expiresIn,
                // A provider that gives no second refresh token (Google, to web clients) means: keep the first. Its ID
                // token stays with it: what a refresh brings has to fit the sign-in that the refresh token came from.
                refreshToken: received.refreshToken ?? kept?.refreshToken,
                idToken: kept?.idToken ?? idToken?.token
            ),
            // RFC 6749, section 5.1: without `scope` the grant is what was asked for.
            grant: Grant(requested: requested, granted: answer.scope ?? consent.scopes, aliases: aliases),
            identity: (idToken?.claims).map { Identity($0, label: options.label ?? earlier?.identity.label) }
                ?? earlier?.identity ?? Identity(label: options.label),
            provider: provider,
            authorizedOrigins: origins,
            resources: consent.resources,
            history: SessionHistory(
                consentedAt: obtainedAt,
                selectedAt: earlier?.history.selectedAt,
                refreshTokenExpiresAt: refreshTokenExpiresAt,
                // What the provider does with refresh tokens, no consent changes.
                refreshTokenReplacedAt: received.refreshTokenReplacedAt ?? earlier?.history.refreshTokenReplacedAt,
                clientType: options.clientType ?? earlier?.history.clientType,
                signInCount: (previous?.history.signInCount ?? 0) + 1,
                clockSkew: answer.serverDate.map {
                    ClockSkew.seconds(serverDate: $0, sentAt: obtainedAt, receivedAt: self.connection.runtime.now())
                }
            ),
            dpopKey: dpopKey,
            requiredClaims: (consent.expected?.requiredClaims ?? [:]).merging(options.requiredClaims) { $1 },
            redirectURI: options.redirectURI ?? consent.expected?.redirectURI
        )
    }
}
