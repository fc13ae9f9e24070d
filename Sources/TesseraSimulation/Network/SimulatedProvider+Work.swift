// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraSupport

// The third issuer, which issues tokens to users and to programs without a user.
extension SimulatedProvider {
    /// How the program is registered at the third issuer.
    public enum Registration: Sendable, Hashable, CaseIterable {
        /// With a key that signs assertions. The tokens of users are bound to keys (RFC 9449).
        case boundTokens
        /// With a secret. The issuer ignores the key to which the program wants tokens to be bound.
        case secret
        /// With a certificate.
        case certificate
    }

    /// A way in which the responses of the third issuer differ from the usual ones.
    public enum Deviation: String, Sendable, Hashable, CaseIterable {
        /// Refreshes and the userinfo endpoint return claims of another user.
        case otherUser
        /// ID tokens contain another domain.
        case otherDomain
        /// ID tokens contain a number instead of the name of a tenant.
        case tenantNumber
        /// ID tokens contain no domain.
        case noDomain
        /// Consents produce no refresh token.
        case noRefreshToken
        /// Responses do not contain the lifetime of the access token, which is an hour.
        case noLifetime
        /// One of the requested scopes is not granted.
        case fewerScopes
    }

    /// A consent at the third issuer.
    struct WorkConsent: Sendable {
        /// The requested scopes.
        var scopes: [String] = []
        /// A coordinate of the public key to which the refresh token is bound.
        var key: String?
        /// The same for each access token.
        var keys: [Int: String] = [:]

        init() {}

        /// Creates a consent from the form of an authorization request.
        init(_ form: FormParameters) {
            self.scopes = (form["scope"] ?? "").split(separator: " ").map { String($0) }
        }

        /// Returns whether a request has the proof that an access token needs.
        func accepts(_ request: SimulatedRequest, _ token: SimulatedToken) -> Bool {
            guard let key = self.keys[token.number] else { return true }
            return request.proofKey == key
        }
    }

    /// The name of programs without a user at the third issuer.
    static let service = SimulatedIssuer.work.name(of: "service")
    /// The client ID of the server that belongs to the program.
    static let serverClientID = "server"
    /// The name of a scope that the issuer also knows as `email`.
    private static let emailScope = "https://work.example/email"

    /// The configuration for sign-ins with the third issuer, without metadata.
    func workProvider() throws -> Provider {
        let issuer = SimulatedIssuer.work
        let registration = self.settings.registration
        var client = OAuthClient(clientID: Self.clientID)
        switch registration {
        case .boundTokens:
            var key = SimulatedKeys.key(after: 7)
            key.keyID = "client"
            client.assertionKey = key
            client.assertionAudience = .endpoint
        case .secret: client.clientSecret = Secret("secret")
        case .certificate:
            client.authentication = .tlsClientAuth
            client.certificateBoundAccessTokens = true
        }
        return Provider(
            name: "Work",
            issuer: try Issuer(issuer.url),
            client: client,
            issuerAliases: ["work.example"],
            scopeAliases: ScopeAliases([Scope(rawValue: Self.emailScope): "email"]),
            authorizationParameters: ["access_type": "offline"],
            incrementalParameters: ["include_granted_scopes": "true"],
            authorizedOrigins: try issuer.origins.map { try OriginPattern($0) },
            insecure: registration == .secret ? [.loopbackHTTP, .bearerInsteadOfDPoP] : [],
            dpop: registration == .certificate ? .whenSupported : .required
        )
    }

    /// Responds to a request that only the third issuer supports.
    func respondAtWork(to request: SimulatedRequest, _ number: Int) -> SimulatedResponse? {
        switch request.path {
        case "/.well-known/openid-configuration": return self.workMetadata()
        case Self.keysPath: return self.keys()
        case "/userinfo": return self.userInfo(request)
        case "/token": return self.serviceToken(request, number)
        default: return nil
        }
    }

    private func workMetadata() -> SimulatedResponse {
        let url = SimulatedIssuer.work.url
        let supported = #", "dpop_signing_alg_values_supported": ["ES256"]"#
        let proofs = self.settings.registration == .certificate ? "" : supported
        return SimulatedResponse(
            .ok,
            """
            {"issuer": "\(url)", "authorization_endpoint": "\(url)/authorize", "token_endpoint": "\(url)/token", \
            "revocation_endpoint": "\(url)/revoke", "userinfo_endpoint": "\(url)/userinfo", \
            "jwks_uri": "\(url)\(Self.keysPath)", "response_types_supported": ["code"], \
            "id_token_signing_alg_values_supported": ["ES256"]\(proofs)}
            """,
            fields: [.cacheControl: "max-age=300"]
        )
    }

    /// Makes the responses of the third issuer differ from the usual ones, or makes them usual again.
    func setDeviation(_ deviation: Deviation, _ begins: Bool) {
        let isChanged = self.state.withLock { state in
            begins
                ? state.settings.deviations.insert(deviation).inserted
                : state.settings.deviations.remove(deviation) != nil
        }
        if isChanged { self.simulation.record(.deviates(deviation, begins), by: .provider) }
    }

    // MARK: Tokens of users

    /// Returns the response to a token request, which has issued tokens to a user.
    func workResponse(
        to request: SimulatedRequest,
        _ access: SimulatedToken,
        _ refresh: SimulatedToken?,
        lifetime: Int,
        nonce: String? = nil
    ) -> SimulatedResponse {
        let form = request.form
        let isConsent = form?["grant_type"] == "authorization_code"
        let (settings, work) = self.state.withLock { state in
            let key = state.settings.registration == .boundTokens ? request.proofKey : nil
            state.consents[access.consent].work.keys[access.number] = key
            if isConsent, refresh != nil { state.consents[access.consent].work.key = key }
            return (state.settings, state.consents[access.consent].work)
        }
        var scopes = work.scopes.map { $0 == "email" ? Self.emailScope : $0 } + ["profile"]
        if settings.deviations.contains(.fewerScopes) { scopes.removeAll { $0 == "files" } }
        let scope = form?["scope"] ?? scopes.joined(separator: " ")
        let isBound = work.keys[access.number] != nil
        var members = [
            #""access_token": "\#(access)""#, #""token_type": "\#(isBound ? "DPoP" : "Bearer")""#,
            #""scope": "\#(scope)""#, #""refresh_token_expires_in": 86400"#,
        ]
        if !settings.deviations.contains(.noLifetime) { members.append(#""expires_in": \#(lifetime)"#) }
        if let refresh { members.append(#""refresh_token": "\#(refresh)""#) }
        let claims = self.workClaims(of: access, form?["audience"], nonce: nonce, isConsent: isConsent)
        if let token = self.signed(claims) { members.append(#""id_token": "\#(token)""#) }
        let time = self.simulation.date(offsetBy: 0).timeIntervalSince1970
        var response = SimulatedResponse(
            .ok,
            "{\(members.joined(separator: ", "))}",
            fields: [.date: HTTPDate.text(secondsSince1970: time)]
        )
        response.refreshToken = refresh
        return response
    }

    /// Returns the claims of an ID token.
    ///
    /// Those from refreshes omit what does not change.
    private func workClaims(
        of access: SimulatedToken,
        _ audience: String?,
        nonce: String?,
        isConsent: Bool
    ) -> [String] {
        let issuer = SimulatedIssuer.work
        let deviations = self.settings.deviations
        let subject = issuer.subject(of: access.subject)
        let isOther = !isConsent && deviations.contains(.otherUser)
        let time = Int64(self.simulation.date(offsetBy: 0).timeIntervalSince1970)
        let hash = TokenHash.compute(of: "\(access)", algorithm: SimulatedKeys.key(after: 0).algorithm) ?? ""
        var claims = [
            #""iss": "\#(issuer.url)""#, #""sub": "\#(isOther ? "mallory" : subject)""#,
            #""aud": "\#(audience ?? Self.clientID)""#, #""azp": "\#(Self.clientID)""#,
            #""iat": \#(time)"#, #""exp": \#(time + 7_200)"#, #""at_hash": "\#(hash)""#,
            deviations.contains(.tenantNumber) ? #""tenant": 7"# : #""tenant": "work""#,
        ]
        if let nonce { claims.append(#""nonce": "\#(nonce)""#) }
        if deviations.contains(.otherDomain) {
            claims.append(#""hd": "other.example""#)
        } else if !deviations.contains(.noDomain) {
            claims.append(#""hd": "example.com""#)
        } else if self.settings.registration == .secret {
            claims.append(#""hd": null"#)
        }
        if isConsent {
            claims += [
                #""email": "\#(subject)@example.com""#, #""email_verified": true"#, #""name": "\#(subject)""#,
                #""sid": "session""#,
            ]
        }
        return claims
    }

    private func signed(_ claims: [String]) -> String? {
        let key = SimulatedKeys.key(after: self.state.withLock { $0.keyRotations })
        return try? key.sign(payload: Array("{\(claims.joined(separator: ", "))}".utf8))
    }

    private func userInfo(_ request: SimulatedRequest) -> SimulatedResponse {
        guard self.isAuthorized(request), let access = request.accessToken.flatMap(SimulatedToken.init)
        else { return Self.challenge(request) }
        let isOther = self.settings.deviations.contains(.otherUser)
        let subject = SimulatedIssuer.work.subject(of: access.subject)
        let claims = [#""sub": "\#(isOther ? "mallory" : subject)""#, #""email": "\#(subject)@example.com""#]
        guard self.settings.registration == .boundTokens else {
            return SimulatedResponse(.ok, "{\(claims.joined(separator: ", "))}")
        }
        let names = [#""iss": "\#(SimulatedIssuer.work.url)""#, #""aud": "\#(Self.clientID)""#]
        return SimulatedResponse(.ok, self.signed(claims + names) ?? "", type: "application/jwt")
    }

    // MARK: Errors

    /// Returns the response to a request whose access token was rejected.
    static func challenge(_ request: SimulatedRequest) -> SimulatedResponse {
        let scheme = request.head.headerFields[.authorization]?.hasPrefix("DPoP ") == true ? "DPoP" : "Bearer"
        return SimulatedResponse(.unauthorized, fields: [.wwwAuthenticate: #"\#(scheme) error="invalid_token""#])
    }

    /// Returns the response to a refresh token that is not valid, which the third issuer explains.
    func refusal(of token: SimulatedToken) -> SimulatedResponse {
        guard SimulatedIssuer(of: token.subject) == .work else { return Self.error("invalid_grant") }
        let wasReplaced = self.state.withLock { state in
            state.consents.indices.contains(token.consent) && state.consents[token.consent].current != token.number
        }
        let end = wasReplaced ? "was already used." : "was revoked"
        let time = self.simulation.date(offsetBy: 0).timeIntervalSince1970
        return SimulatedResponse(
            .badRequest,
            """
            {"error": "invalid_grant", "error_description": "The token \(token) \(end)", \
            "error_uri": "https://work.example/errors"}
            """,
            fields: [.date: HTTPDate.text(secondsSince1970: time)]
        )
    }

    /// Returns the response to a refresh whose proof has another key than the refresh token.
    func wrongProof(in request: SimulatedRequest, for token: SimulatedToken) -> SimulatedResponse? {
        let key = self.state.withLock { state in
            state.consents.indices.contains(token.consent) ? state.consents[token.consent].work.key : nil
        }
        guard let key, request.proofKey != key else { return nil }
        self.simulation.report(.accountsAreSeparate, "\(token) was sent without a proof by its key")
        return Self.error("invalid_dpop_proof")
    }

    // MARK: Tokens of programs

    /// Issues a token to a program without a user, or exchanges a user's token.
    ///
    /// Returns nil for other requests.
    private func serviceToken(_ request: SimulatedRequest, _ number: Int) -> SimulatedResponse? {
        guard let form = request.form, let grant = form["grant_type"] else { return nil }
        switch grant {
        case "client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer":
            let access = self.issueServiceToken(request)
            return self.granted(access, number, "")
        case "urn:ietf:params:oauth:grant-type:token-exchange":
            guard let user = form["subject_token"].flatMap(SimulatedToken.init) else {
                return Self.error("invalid_request")
            }
            let type = form["requested_token_type"] ?? TokenTypeIdentifier.accessToken.rawValue
            let access = self.issueServiceToken(request, for: user)
            return self.granted(access, number, type)
        default: return nil
        }
    }

    private func issueServiceToken(_ request: SimulatedRequest, for user: SimulatedToken? = nil) -> SimulatedToken {
        let time = self.simulation.scheduler.time
        return self.state.withLock { state in
            let service = state.serviceConsent ?? state.consents.count
            if state.serviceConsent == nil {
                state.consents.append(Consent(subject: Self.service, current: 0))
                state.serviceConsent = service
            }
            state.lastToken += 1
            let access = SimulatedToken(
                .access,
                subject: user?.subject ?? Self.service,
                consent: service,
                number: state.lastToken
            )
            let key = state.settings.registration == .boundTokens ? request.proofKey : nil
            state.consents[service].work.keys[access.number] = key
            state.consents[service].accessTokens[access.number] =
                time + Int64(state.settings.lifetime) * 1_000_000_000
            return access
        }
    }

    /// Returns the response that contains a token without a refresh token.
    ///
    /// `type` is the type of the exchanged token, or empty if no token was exchanged.
    private func granted(_ access: SimulatedToken, _ number: Int, _ type: String) -> SimulatedResponse {
        let (lifetime, isBound) = self.state.withLock { state in
            (state.settings.lifetime, state.consents[access.consent].work.keys[access.number] != nil)
        }
        self.simulation.record(.granted(access, request: number), by: .provider)
        let isAccessToken = type.isEmpty || type == TokenTypeIdentifier.accessToken.rawValue
        let name = isAccessToken ? isBound ? "DPoP" : "Bearer" : "N_A"
        let issued = type.isEmpty ? "" : #", "issued_token_type": "\#(type)""#
        return SimulatedResponse(
            .ok,
            #"{"access_token": "\#(access)", "token_type": "\#(name)", "expires_in": \#(lifetime)\#(issued)}"#
        )
    }

    /// Returns the time at which a token of a program without a user expires.
    func expiration(ofServiceToken token: SimulatedToken) -> Int64? {
        self.state.withLock { state in
            guard let service = state.serviceConsent, service == token.consent else { return nil }
            return state.consents[service].accessTokens[token.number]
        }
    }
}

extension SimulatedProvider.State {
    /// The lifetime of an account's access tokens in seconds.
    func lifetime(of name: String) -> Int {
        SimulatedIssuer(of: name) == .work && self.settings.deviations.contains(.noLifetime)
            ? 3_600 : self.settings.lifetime
    }

    /// Issues an access token for a consent without a refresh token.
    ///
    /// If the user has consented before, this consent is repeated.
    mutating func consentWithoutRefreshToken(
        _ code: SimulatedProvider.Code,
        until expiration: Int64
    ) -> SimulatedToken {
        let known = self.consents.lastIndex { $0.subject == code.name && !$0.isRevoked }
        if known == nil {
            self.lastToken += 1
            self.consents.append(SimulatedProvider.Consent(subject: code.name, current: self.lastToken))
        }
        let number = known ?? self.consents.count - 1
        self.lastToken += 1
        self.consents[number].work.scopes = code.work.scopes
        self.consents[number].accessTokens[self.lastToken] = expiration
        return SimulatedToken(.access, subject: code.name, consent: number, number: self.lastToken)
    }
}
