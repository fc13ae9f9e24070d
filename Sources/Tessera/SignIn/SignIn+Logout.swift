// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraOAuth
internal import TesseraSupport

extension SignIn {
    /// Signs a person out here and at the provider: the session is forgotten, then the provider's page opens in the
    /// person's browser.
    ///
    /// The agent's redirect URI has to be registered as `post_logout_redirect_uri`.
    ///
    /// - Throws: `InvalidRequestError` for a session of another provider or client; ``StoreError`` as ``OAuthSession/signOut()``; `missingMetadata` where the provider has no end-session
    ///   endpoint; `OAuthError` where it said no; ``SignInError`` `timedOut` when the person did not come back. The
    ///   session is over here in any case.
    public func endSession(_ session: OAuthSession, options: EndSessionOptions = EndSessionOptions()) async throws {
        try self.checkOwner(of: session)
        let idToken = session.idToken
        try await session.signOut()
        let client = try await self.connection.registeredClient()
        try await self.userAgent.withRedirectReceiver { receiver in
            let request = EndSessionRequest(
                idTokenHint: idToken,
                postLogoutRedirectURI: try RedirectURI(receiver.redirectURI),
                logoutHint: options.logoutHint,
                uiLocales: options.uiLocales,
                additionalParameters: options.additionalParameters
            )
            let pending = try PendingLogout(request, by: client)
            try await receiver.receive(
                from: pending.logoutURL,
                until: RedirectDeadline(after: options.timeout, on: self.connection.runtime.clock),
                unless: pending.mismatch
            ) { redirect in
                try pending.receive(redirect)
                return ((), self.page(session, options.applicationName, isSignOut: true))
            }
        }
    }

    /// Takes a logout token that the provider sent to the program's back-channel logout address, and ends what it names:
    /// every session of the person here, or the one of the provider's session that ended.
    ///
    /// Sessions that began after the token was made go on, so that a token that is sent again ends nothing new. Answer
    /// the provider's request with 200, or with 400 when this throws a `ProtocolViolationError`.
    ///
    /// - Returns: the token, whose `jti` tells a second delivery, and the accounts whose sessions ended.
    /// - Throws: `ProtocolViolationError` for a token that must not be trusted; what fetching the provider's keys throws;
    ///   ``StoreError`` when an end could not be written down; the other sessions have ended then.
    /// - SeeAlso: [OpenID Connect Back-Channel Logout 1.0, section 2.7](https://openid.net/specs/openid-connect-backchannel-1_0.html#BCActions)
    @discardableResult
    public func receive(logoutToken: Secret) async throws -> (token: LogoutToken, ended: [Account]) {
        let metadata = try await self.connection.metadataForReceivedToken()
        let policy = LogoutTokenPolicy(
            issuer: self.provider.issuer,
            issuerAliases: self.provider.issuerAliases,
            clientID: self.provider.client.clientID,
            algorithms: self.provider.client.idTokenAlgorithms(supported: metadata.idTokenSigningAlgValuesSupported)
        )
        let token = try await self.connection.validate(logoutToken, policy: policy)
        var ended: [Account] = []
        var failure: (any Error)?
        for account in try await self.accounts() where token.subject?.isExactly(account.subject) ?? true {
            do {
                if try await self.end(account, by: token, tolerance: policy.clockTolerance) { ended.append(account) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return (token, ended)
    }

    private func end(_ account: Account, by token: LogoutToken, tolerance: Int) async throws -> Bool {
        let end = SessionEndedError(.loggedOut)
        let latest = token.issuedAt + Double(tolerance)
        return try await self.connection.update(account, in: self.store) { entry, _ in
            guard let record = try await entry.load(), record.tokens != nil, record.isNamed(by: token),
                record.history.consentedAt.timeIntervalSince1970 <= latest
            else { return false }
            // Under the account's lock: no refresh is under way that could bring the session back.
            self.session(of: account)?.end(end)
            try await entry.save(record.closed(end, at: self.connection.runtime.now()))
            return true
        }
    }
}

extension SessionRecord {
    /// Whether the record is of the provider's session that a token names; of a person's only one where none is named.
    fileprivate func isNamed(by token: LogoutToken) -> Bool {
        guard let sessionID = token.sessionID else { return true }
        guard let own = self.identity.sessionID else { return token.subject != nil }
        return own.isExactly(sessionID)
    }
}

/// What a sign-out at the provider asks for.
public struct EndSessionOptions: Sendable {
    /// Who signs out, where the session has no ID token.
    public var logoutHint: String?
    /// Languages of the provider's pages.
    public var uiLocales: [String]
    /// More parameters of the request.
    public var additionalParameters: [String: String]
    /// What the last page calls the program.
    public var applicationName: String?
    /// How long the person may take.
    public var timeout: Duration

    /// Options; one minute for the person by default.
    public init(
        logoutHint: String? = nil,
        uiLocales: [String] = [],
        additionalParameters: [String: String] = [:],
        applicationName: String? = nil,
        timeout: Duration = .seconds(60)
    ) {
        self.logoutHint = logoutHint
        self.uiLocales = uiLocales
        self.additionalParameters = additionalParameters
        self.applicationName = applicationName
        self.timeout = timeout
    }
}
