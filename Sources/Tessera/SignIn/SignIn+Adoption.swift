// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
public import TesseraOAuth

extension SignIn {
    /// Makes a session of a grant that the person gave before, to another library in this client's name: nobody has to
    /// sign in again.
    ///
    /// The refresh token is used once. Whose it is, the provider says: by the answer's ID token, verified like any other,
    /// else by its userinfo endpoint, else `options.identity`. The store is tried first, and the session is saved before
    /// anybody gets it.
    ///
    /// Where the provider replaces refresh tokens, whoever else holds the old one cannot use it from now on; where it does
    /// not, two owners go on side by side.
    ///
    /// - Parameters:
    ///   - grant: what the other library kept; keep it there until this has returned.
    ///   - options: `identity`, `requiredClaims`, `additionalTokenParameters`, `authorizedOrigins`, `label` and `clientType`
    ///     are used.
    /// - Returns: the session, saved.
    /// - Throws: ``SessionEndedError`` `refused` where the provider does not take the refresh token; ``SignInError``
    ///   `accountMismatch` where it is another person's than the ID token says; `InvalidRequestError` where it comes from another
    ///   token endpoint; else as ``signIn(scopes:options:)``. Where the provider has replaced the refresh token before
    ///   that, ``AdoptionInterruptedError`` has the error and the grant that is valid now.
    /// - SeeAlso: [RFC 6749, section 6](https://www.rfc-editor.org/rfc/rfc6749.html#section-6)
    public func adopt(
        _ grant: ExistingGrant,
        options: SignInOptions = SignInOptions()
    ) async throws -> OAuthSession {
        try await self.connection.probe(self.store)
        let client = try await self.connection.registeredClient()
        let endpoint = try client.endpoint(\.tokenEndpoint, "token_endpoint")
        if grant.scopes.contains(.openID) { try client.checkIDTokenAlgorithms() }
        if let named = grant.tokenEndpoint, named != client.metadata.tokenEndpoint?.url {
            let names = [named, endpoint.url].map { UntrustedText.printable($0) }
            throw InvalidRequestError(
                "token_endpoint",
                reason: "the grant comes from \(names[0]) and not from \(names[1])"
            )
        }
        let obtainedAt = self.connection.runtime.now()
        var request = TokenRequest.refresh(grant.refreshToken, at: endpoint)
        request.additionalParameters = options.additionalTokenParameters
        let tokens: TokenResponse
        do {
            tokens = try await client.send(request)
        } catch let refusal as OAuthError where refusal.code == .invalidGrant && !refusal.isTransient {
            throw SessionEndedError(.refused, cause: refusal)
        }
        let answer = Answer(tokens: tokens, obtainedAt: obtainedAt, adopted: grant)
        let consent = Consent(
            // Another library may have stored what the provider wrote.
            scopes: grant.scopes.filter { ScopeList.isScopeToken($0.rawValue) },
            resources: options.resources
        )
        do {
            return try await self.accept(answer, consent, options)
        } catch  where answer.refreshTokenReplacedAt != nil {
            var replaced = grant
            replaced.refreshToken = answer.refreshToken ?? grant.refreshToken
            throw AdoptionInterruptedError(grant: replaced, cause: error)
        }
    }

    /// Whose a grant is, from the provider's userinfo endpoint.
    func subject(of grant: ExistingGrant, _ tokens: TokenResponse) async throws -> String {
        let source = OneToken(token: AccessToken(tokens.accessToken, expiresAt: nil))
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

/// A token that cannot be refreshed: there is no session yet.
private struct OneToken: AccessTokenSource {
    let token: AccessToken
    var authorizedOrigins: [OriginPattern] { [] }

    func accessToken() async throws -> AccessToken { self.token }
    func refused(_ token: AccessToken) async throws -> AccessToken { token }
}

/// A grant that a person gave before, and that another library or program has kept: what ``SignIn/adopt(_:options:)``
/// makes a session of.
public struct ExistingGrant: Sendable, Hashable {
    /// The refresh token, which was given to this very client.
    public var refreshToken: Secret
    /// The newest ID token that came with it, nil where there was none.
    ///
    /// It says who the person should be, and is believed in nothing else: its signature may be too old to be verified.
    public var idToken: Secret?
    /// What was granted, as far as anybody knows; the provider's answer counts where it names scopes.
    public var scopes: [Scope]
    /// The token endpoint that gave the refresh token, where the other library kept that too.
    ///
    /// It is never sent anything by itself: where it is not the provider's own, nothing is sent at all.
    public var tokenEndpoint: String?

    /// A grant.
    public init(refreshToken: Secret, idToken: Secret? = nil, scopes: [Scope], tokenEndpoint: String? = nil) {
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scopes = scopes
        self.tokenEndpoint = tokenEndpoint
    }

    /// What the ID token says, unverified.
    var claims: IDTokenClaims? {
        get throws {
            guard let idToken = self.idToken else { return nil }
            return try IDTokenClaims(unverified: idToken)
        }
    }
}

/// A grant was refreshed and its refresh token replaced, and then it did not become a session: here is what is valid now.
///
/// What the other library has kept is of no more use. Try again with ``grant``, or keep it: nobody else has it.
public struct AdoptionInterruptedError: ErrorGuidance, Sendable {
    /// The grant with the refresh token that the provider has just given.
    public let grant: ExistingGrant
    /// What went wrong after that.
    public let cause: any Error

    /// A grant that would else be lost.
    public init(grant: ExistingGrant, cause: any Error) {
        self.grant = grant
        self.cause = cause
    }

    /// Whether the adoption of ``grant`` may succeed without anybody changing anything.
    public var isRetryable: Bool { (self.cause as? any ErrorGuidance)?.isRetryable ?? false }
    /// One line: what happened.
    public var description: String { "The refresh token was replaced, but the grant is not saved: \(self.cause)" }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        let advice = (self.cause as? any ErrorGuidance)?.recoverySuggestion ?? "Try again."
        return "Go on with the error's grant, the old one is void. \(advice)"
    }
}
