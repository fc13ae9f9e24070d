// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

extension SignIn {
    /// Tokens received for a consent, with the values that their ID token must match.
    struct ReceivedTokens: Sendable {
        let tokens: TokenResponse
        /// The time just before the token request was sent.
        let time: RequestTime
        var obtainedAt: Date { self.time.date }
        /// The authorization response whose code was exchanged, or nil if there was no redirect.
        var response: AuthorizationResponse?
        /// The adopted credentials that were refreshed, or nil for any other sign-in.
        var adopted: ExistingCredentials?
        /// The consent that the user gave in an app, or nil if the code did not come from an app.
        var app: AppConsent?
        /// Whether the user decided on another device.
        var isFromDevice = false
        /// The DPoP key that the token request proved.
        var dpopKey: DPoPKey?
        /// The DPoP key that the tokens are bound to, or nil for bearer tokens.
        var boundKey: DPoPKey? { self.tokens.tokenType == .dpop ? self.dpopKey : nil }
        /// The refresh token of the response, or the adopted one if the response has none.
        var refreshToken: Secret? { self.tokens.refreshToken ?? self.adopted?.refreshToken }
        /// The time at which the provider replaced the adopted refresh token, or nil if it did not.
        var refreshTokenReplacedAt: Date? {
            guard let before = self.adopted?.refreshToken, self.refreshToken != before else { return nil }
            return self.obtainedAt
        }
    }

    /// Exchanges an authorization code, validates the tokens and returns the saved session.
    func accept(
        _ response: AuthorizationResponse,
        _ consent: Consent,
        _ options: SignInOptions
    ) async throws -> SignInResult {
        let time = RequestTime(self.connection.runtime)
        var request = TokenRequest.authorizationCode(response)
        request.additionalParameters = options.serverParameters.merging(options.additionalTokenParameters) { $1 }
        // A code is sent only once. If this fails, the user has to sign in again.
        let tokens = try await self.connection.registeredClient(dpopKey: response.dpopKey)
            .send(request)
        let received = ReceivedTokens(
            tokens: tokens,
            time: time,
            response: response,
            dpopKey: response.dpopKey
        )
        return SignInResult(session: try await self.accept(received, consent, options), tokens: tokens)
    }

    /// Validates tokens and returns the saved session.
    func accept(_ received: ReceivedTokens, _ consent: Consent, _ options: SignInOptions) async throws -> OAuthSession {
        let idToken = try await self.validatedIDToken(received, options)
        let claims = idToken?.claims
        let subject = try await self.subject(received, claims, options)
        let provider = try await self.connection.resolvedProvider()
        let account = Account(issuer: provider.issuer.url, clientID: provider.client.clientID, subject: subject)
        if let expected = consent.expected, expected.account != account {
            throw SignInError(.accountMismatch, detail: "the response identifies another user")
        }
        // The app may have named the account itself, for which the ID token still identifies the user.
        let providerSubject = claims?.subject ?? subject
        if let before = try received.adopted?.claims, !before.subject.isExactly(providerSubject) {
            throw SignInError(.accountMismatch, detail: "the refresh token and the ID token belong to different users")
        }
        try received.app?.check(providerSubject, provider)
        try Self.check(claims, options.requiredClaims, of: consent.expected)

        return try await self.connection.update(account, in: self.store) { entry, _ in
            let previous = try await self.previous(account, entry, consent)
            // A sign-out that waits for the lock has already ended the session.
            let isEnding = self.connection.removals.changes(unlessRemoving: account) == nil
            if consent.expected != nil, previous == nil || isEnding { throw SessionEndedError(.signedOut) }
            var record = self.record(account, received, idToken, consent, options, provider, previous: previous)
            // A refresh token that remains in use may have been sent by a refresh whose result is unknown.
            let isRetained = record.tokens?.refreshToken == previous?.tokens?.refreshToken
            record.refreshMark = isRetained ? previous?.refreshMark : nil
            try await entry.save(record)
            // The account is still locked, so the next refresh also sees the new consent in memory.
            return self.session(record, isNewConsent: true, requestedAt: received.time)
        }
    }

    /// Returns the account's current record, which the new consent updates.
    ///
    /// A damaged record is ignored and replaced.
    private func previous(
        _ account: Account,
        _ entry: SessionStoreEntry,
        _ consent: Consent
    ) async throws -> SessionRecord? {
        do {
            return try await entry.load().map { self.connection.newest($0) }
        } catch let error as StoreError where error.code == .corrupt {
            return consent.expected
        }
    }

    private func validatedIDToken(
        _ received: ReceivedTokens,
        _ options: SignInOptions
    ) async throws -> ValidatedIDToken? {
        guard let idToken = received.tokens.idToken else { return nil }
        var policy = self.connection.idTokenPolicy(nonce: .absent, accessToken: received.tokens.accessToken)
        if let response = received.response {
            policy.bind(to: response)
        } else {
            policy.maxAge = options.maxAge
            if received.isFromDevice { policy.bind(to: options.claims) }
        }
        policy.otherAudiences = options.serverClientID.map { [$0] } ?? []
        received.app?.bind(&policy)
        if let before = try received.adopted?.claims {
            // OpenID Connect Core 1.0, section 12.2: the nonce is absent or that of the original ID token.
            policy.nonce = .absentOrEqual(before.nonce.map(Secret.init))
        }
        return try await self.connection.validate(idToken, policy: policy, isFromProvider: true)
    }

    /// Checks, before anything is sent, that the sign-in will be able to identify the user.
    static func checkIdentity(_ options: SignInOptions, scopes: [Scope]) throws {
        guard case .idToken = options.identity, !scopes.contains(.openID) else { return }
        throw InvalidRequestError(
            "scope",
            reason: "openid is required to identify the user, unless options.identity is set"
        )
    }

    private func subject(
        _ received: ReceivedTokens,
        _ claims: IDTokenClaims?,
        _ options: SignInOptions
    ) async throws -> String {
        switch options.identity {
        case .idToken:
            if claims == nil, received.adopted != nil { return try await self.userInfoSubject(received) }
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

    /// Checks the caller's required claims, and that no claim contradicts those required by earlier sign-ins.
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
        _ received: ReceivedTokens,
        _ idToken: ValidatedIDToken?,
        _ consent: Consent,
        _ options: SignInOptions,
        _ provider: Provider,
        previous: SessionRecord?
    ) -> SessionRecord {
        let (response, obtainedAt) = (received.tokens, received.obtainedAt)
        let dpopKey = received.boundKey
        let earlier = consent.expected ?? previous
        // A refresh token that is bound to another key cannot be used together with these tokens.
        let isRetained =
            received.refreshToken == nil && previous?.tokens?.refreshToken != nil && previous?.dpopKey == dpopKey
        let retained = isRetained ? previous?.tokens : nil
        let aliases = provider.scopeAliases
        let requested =
            consent.expected.map { aliases.union($0.grantedScopes.requested, consent.scopes) } ?? consent.scopes
        var origins = earlier?.authorizedOrigins ?? []
        for origin in provider.authorizedOrigins + options.authorizedOrigins where !origins.contains(origin) {
            origins.append(origin)
        }
        let refreshTokenExpiresAt = response.refreshTokenExpiresIn.map { obtainedAt.addingTimeInterval(Double($0)) }
        return SessionRecord(
            account: account,
            generation: (previous?.generation ?? 0) + 1,
            tokens: TokenSet(
                accessToken: response.accessToken,
                tokenType: response.tokenType,
                obtainedAt: obtainedAt,
                lifetime: response.expiresIn,
                // Some providers issue no second refresh token (Google to web clients), so the first one remains in
                // use. Its ID token is retained too, because later refreshes must match the sign-in that issued the
                // token.
                refreshToken: received.refreshToken ?? retained?.refreshToken,
                idToken: retained?.idToken ?? idToken?.token
            ),
            // RFC 6749, section 5.1: a response without `scope` grants the requested scopes.
            grantedScopes: GrantedScopes(
                requested: requested,
                granted: response.scope ?? consent.scopes,
                aliases: aliases
            ),
            identity: (idToken?.claims).map { Identity($0, label: options.label ?? earlier?.identity.label) }
                ?? earlier?.identity ?? Identity(label: options.label),
            provider: provider,
            authorizedOrigins: origins,
            resources: consent.resources,
            history: SessionHistory(
                // The time identifies the consent, so it must not change when the record is stored.
                consentedAt: obtainedAt.inWholeMilliseconds,
                selectedAt: earlier?.history.selectedAt,
                refreshTokenExpiresAt: refreshTokenExpiresAt,
                // This describes the provider's behavior, which a new consent does not change.
                refreshTokenReplacedAt: received.refreshTokenReplacedAt ?? earlier?.history.refreshTokenReplacedAt,
                clientType: options.clientType ?? earlier?.history.clientType,
                signInCount: (previous?.history.signInCount ?? 0) + 1,
                clockSkew: response.serverDate.map {
                    ClockSkew.seconds(serverDate: $0, sentAt: obtainedAt, receivedAt: self.connection.runtime.now())
                }
            ),
            dpopKey: dpopKey,
            requiredClaims: (consent.expected?.requiredClaims ?? [:]).merging(options.requiredClaims) { $1 },
            redirectURI: options.redirectURI ?? consent.expected?.redirectURI
        )
    }
}
