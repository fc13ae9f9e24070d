// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
public import TesseraOAuth

extension SignIn {
    /// Signs a person in at an app whose server is to act for them, too: the answer brings a one-time code for it.
    ///
    /// The server is named to the provider by the parameter `audience`, as Google knows it; the ID token is made out to
    /// the server then, at this sign-in and at every refresh.
    ///
    /// - Parameters:
    ///   - scopes: what is asked for, by the app and by its server.
    ///   - serverClientID: the server's client, of the same project.
    ///   - options: what else.
    /// - Returns: the session, and what to send to the server.
    /// - Throws: as ``signIn(scopes:options:)``.
    public func signIn(
        scopes: [Scope],
        forServer serverClientID: String,
        options: SignInOptions = SignInOptions()
    ) async throws -> SignInAnswer {
        var options = options
        options.serverClientID = serverClientID
        return try await self.answer(scopes: scopes, options: options, userAgent: self.userAgent)
    }

    /// Asks the person for more scopes, for the app and its server: the answer brings a code for all of them.
    ///
    /// - Returns: the session, updated in place, and what to send to the server.
    /// - Throws: as ``addScopes(_:to:options:)``.
    public func addScopes(
        _ scopes: [Scope],
        to session: OAuthSession,
        forServer serverClientID: String,
        options: SignInOptions = SignInOptions()
    ) async throws -> SignInAnswer {
        var options = options
        options.serverClientID = serverClientID
        return try await self.answer(adding: scopes, to: session, options: options, userAgent: self.userAgent)
    }
}

/// What an app has after a consent in which its server took part: a session of its own, and what it sends the server.
///
/// What is for the server is kept nowhere: send it at once, over TLS.
public struct SignInAnswer: Sendable {
    /// The app's session, saved.
    public let session: OAuthSession
    /// The provider's answer, with members that nobody keeps.
    package let tokens: TokenResponse

    /// The code with which the server gets tokens of its own, once (``SignIn/redeem(_:of:scopes:options:)``); nil where
    /// the provider gave none.
    public var serverAuthCode: Secret? { self.tokens.document["server_code"]?.string.map { Secret($0) } }
    /// Who consented, made out to the server (``SignIn/verify(_:fromApps:nonce:)``).
    public var idToken: Secret? { self.tokens.idToken }
}

extension SignIn {
    /// Verifies an ID token that an app sent to its backend: made by the provider, for this client, in a sign-in of one
    /// of these apps.
    ///
    /// It says who the person is, and nothing about who sends it: take it over TLS alone, and see that `exp` has not come
    /// each time that it is used in place of a password. A nonce that the backend gave out before shows that the token
    /// was made for this very sign-in.
    ///
    /// - Parameters:
    ///   - idToken: the token.
    ///   - apps: the clients of the apps, any of which may be its `azp`; this client always may.
    ///   - nonce: the one that the backend gave to the app; nil where it gave none.
    /// - Returns: the token with its claims.
    /// - Throws: `ProtocolViolationError` for a token that must not be trusted; what fetching the provider's keys throws.
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

    /// Makes a session of a code that an app got for this client: the person consented there, and may be away from now
    /// on.
    ///
    /// The store is tried before the code is sent, since a code is good once. Whose it is, the ID token that comes with
    /// the exchange says; where the app sent one, too, both have to be the same person's. Providers may give a refresh
    /// token with the person's first consent only (Google; an app can ask for another one): where none comes, the one that
    /// is here stays, and where there is none, the session ends with its access token.
    ///
    /// - Parameters:
    ///   - code: the code.
    ///   - person: what ``verify(_:fromApps:nonce:)`` made of the ID token that the app sent with it; nil where the app
    ///     sends none.
    ///   - scopes: what the app asked for; the provider's answer counts where it names scopes.
    ///   - options: `requiredClaims`, `additionalTokenParameters`, `authorizedOrigins`, `label` and `clientType` are used.
    /// - Returns: the session, saved.
    /// - Throws: `OAuthError` `invalid_grant` for a code that is no longer good, or never was; ``SignInError``
    ///   `accountMismatch` where it is another person's than the ID token's: nothing is saved then; else as
    ///   ``signIn(scopes:options:)``.
    public func redeem(
        _ code: ServerAuthCode,
        of person: ValidatedIDToken?,
        scopes: [Scope] = [],
        options: SignInOptions = SignInOptions()
    ) async throws -> OAuthSession {
        try await self.connection.probe(self.store)
        let client = try await self.connection.registeredClient()
        if case .idToken = options.identity { try client.checkIDTokenAlgorithms() }
        let obtainedAt = self.connection.runtime.now()
        var request = TokenRequest.serverAuthCode(code)
        request.resources = options.resources
        request.additionalParameters = options.additionalTokenParameters
        let tokens = try await client.send(request)
        let answer = Answer(tokens: tokens, obtainedAt: obtainedAt, app: AppConsent(person: person))
        let consent = Consent(scopes: scopes, resources: options.resources)
        return try await self.accept(answer, consent, options)
    }

    /// A consent that was given to an app of this program.
    struct AppConsent: Sendable {
        /// Who the app says it was.
        let person: ValidatedIDToken?

        /// Takes over what the exchange's ID token has to fit: the app's own `nonce` may come back in it, and the app may
        /// be named as the one that asked.
        func bind(_ policy: inout IDTokenPolicy) {
            guard let claims = self.person?.claims else {
                policy.nonce = .unchecked
                return
            }
            policy.nonce = .absentOrEqual(claims.nonce.map(Secret.init))
            policy.otherAuthorizedParties = claims.authorizedParty.map { [$0] } ?? []
        }

        /// The app's ID token and the exchange's are about one person, at one provider.
        func check(_ subject: String, _ provider: Provider) throws {
            guard let claims = self.person?.claims else { return }
            let issuers = [provider.issuer.url] + provider.issuerAliases
            // The tokens are dropped, and not revoked: that could end the other person's other sessions.
            guard claims.subject.isExactly(subject), issuers.contains(where: claims.issuer.isExactly) else {
                throw SignInError(.accountMismatch, detail: "the code is another person's than the ID token")
            }
        }
    }
}
