// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraOAuth
internal import TesseraSupport

extension SignIn {
    /// Signs the user out locally and at the provider.
    ///
    /// The session is removed first. The provider's sign-out page then opens in the user's browser. The user agent's
    /// redirect URI must be registered with the provider as a `post_logout_redirect_uri`.
    ///
    /// - Throws: `InvalidRequestError` if the session belongs to another provider or client, in which case nothing
    ///   happens. After any other error, the session has ended locally. Those errors are ``StoreError`` as in
    ///   ``OAuthSession/signOut()``, `missingMetadata` if the provider has no end-session endpoint, `OAuthError` if the
    ///   provider rejects the request, and ``SignInError`` with the code `timedOut` if no redirect arrives in time.
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

    /// Verifies a back-channel logout token and ends the sessions that it names.
    ///
    /// The token names either a user, whose sessions all end, or one session at the provider. Sessions that began after
    /// the token was issued continue, so a replayed token has no further effect. If the difference between the clocks is
    /// not known from a refresh, a session that began less than five minutes after the token was issued ends too. Respond
    /// to the provider's request with status 200, or with 400 if this method throws a `ProtocolViolationError`.
    ///
    /// - Parameter logoutToken: The token that the provider sent to the app's back-channel logout URI.
    /// - Returns: The token, whose `jti` identifies repeated deliveries, and the accounts whose sessions ended.
    /// - Throws: `ProtocolViolationError` if the token must not be trusted, any error from fetching the provider's
    ///   keys, or, after all other sessions have ended, ``StoreError`` if the end of a session could not be saved.
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
        for account in try await self.accounts(namedBy: token) {
            do {
                // Only sessions that the token names are locked.
                guard try await self.store.load(account)?.isNamed(by: token, tolerance: policy.clockTolerance) == true,
                    try await self.end(account, by: token, tolerance: policy.clockTolerance)
                else { continue }
                ended.append(account)
            } catch let error as StoreError
                where account.subject != token.subject && [.corrupt, .newerFormat].contains(error.code)
            {
                // It is unknown whether the token names this session.
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return (token, ended)
    }

    /// Returns the accounts whose sessions a logout token may name.
    private func accounts(namedBy token: LogoutToken) async throws -> [Account] {
        guard let subject = token.subject else { return try await self.accounts() }
        let (issuer, clientID) = (self.provider.issuer.url, self.provider.client.clientID)
        let account = Account(issuer: issuer, clientID: clientID, subject: subject)
        do {
            // The app may have named the user's account itself.
            if try await self.store.load(account) == nil { return try await self.accounts() }
        } catch {
            // The caller loads the account again.
        }
        return [account]
    }

    private func end(_ account: Account, by token: LogoutToken, tolerance: Int) async throws -> Bool {
        let end = SessionEndedError(.loggedOut)
        return try await self.connection.update(account, in: self.store) { entry, _ in
            guard let record = try await entry.load(), record.isNamed(by: token, tolerance: tolerance) else {
                return false
            }
            // The account is locked, so no refresh is in progress that could restore the session.
            self.session(of: account)?.end(end)
            try await entry.save(record.closed(end, at: self.connection.runtime.now()))
            return true
        }
    }
}

extension SessionRecord {
    /// Whether this record's session is active and a logout token, whose time has a tolerance in seconds, names it.
    ///
    /// A token without a session ID refers to all of the user's sessions. A record without one is matched by user
    /// alone.
    fileprivate func isNamed(by token: LogoutToken, tolerance: Int) -> Bool {
        // If the difference between the clocks is known, the tolerance is that of its measurement.
        let (skew, tolerance) = self.history.clockSkew.map { (Double($0), min(tolerance, 10)) } ?? (0, tolerance)
        let consentedAt = self.history.consentedAt.timeIntervalSince1970 - skew
        guard self.tokens != nil, consentedAt <= token.issuedAt + Double(tolerance),
            token.subject.map(self.providerSubject.isExactly) ?? true
        else { return false }
        guard let sessionID = token.sessionID else { return true }
        guard let own = self.identity.sessionID else { return token.subject != nil }
        return own.isExactly(sessionID)
    }
}

/// Options for signing out at the provider.
public struct EndSessionOptions: Sendable {
    /// The user who signs out, for a session without an ID token (`logout_hint`).
    public var logoutHint: String?
    /// The preferred languages of the provider's pages (`ui_locales`).
    public var uiLocales: [String]
    /// Additional request parameters.
    public var additionalParameters: [String: String]
    /// The app's name on the completion page.
    public var applicationName: String?
    /// How long to wait for the redirect, 1 minute by default.
    public var timeout: Duration

    /// Creates sign-out options.
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
