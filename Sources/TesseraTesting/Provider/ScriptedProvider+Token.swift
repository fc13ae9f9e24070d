// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJOSE
public import TesseraJSON
internal import TesseraOAuth

extension ScriptedProvider {
    /// Returns the token endpoint's response.
    func token(_ request: RecordedRequest) throws -> ScriptedResponse {
        guard request.formValue("client_id") == Self.clientID,
            !self.options.requiresClientSecret || request.formValue("client_secret") == self.clientSecret
        else { return Self.error("invalid_client", status: .unauthorized) }
        let thumbprint: String?
        do {
            thumbprint = try self.thumbprint(of: request, nonce: self.options.providerNonce)
        } catch let error as ProofError {
            return Self.error(error.rawValue, status: .badRequest).giving(self.options.providerNonce)
        }
        let consent: Int?
        let isRefresh = request.formValue("grant_type") == "refresh_token"
        let asked = request.formValue("scope")?.split(separator: " ").map(String.init)
        if isRefresh {
            let refreshToken = request.formValue("refresh_token") ?? ""
            guard !self.exceeds(asked, refreshToken) else { return Self.error("invalid_scope", status: .badRequest) }
            consent = self.redeem(refreshToken: refreshToken, thumbprint)
        } else {
            consent = self.redeem(
                code: request.formValue("code") ?? "",
                redirectURI: request.formValue("redirect_uri"),
                verifier: request.formValue("code_verifier") ?? "",
                thumbprint
            )
        }
        guard let consent else { return Self.error("invalid_grant", status: .badRequest) }
        return try self.tokens(consent, thumbprint, isRefresh: isRefresh, asked: asked)
            .giving(thumbprint == nil ? nil : self.options.providerNonce)
    }

    private static func error(_ code: String, status: HTTPResponse.Status) -> ScriptedResponse {
        .json(#"{"error": "\#(code)"}"#, status: status)
    }

    /// Whether a refresh asks for a scope that the user has not granted (RFC 6749, section 6).
    private func exceeds(_ asked: [String]?, _ refreshToken: String) -> Bool {
        self.state.withLock { state in
            guard state.options.narrowsScopesOnRefresh, let asked,
                let consent = state.refreshTokens[refreshToken]?.consent
            else { return false }
            return !Set(asked).isSubset(of: state.consents[consent].scopes)
        }
    }

    private func redeem(code: String, redirectURI: String?, verifier: String, _ thumbprint: String?) -> Int? {
        guard let code = self.state.withLock({ $0.codes.removeValue(forKey: code) }), code.redirectURI == redirectURI,
            // Without support for DPoP, the server ignores the key that the code is bound to.
            code.thumbprint == nil || !self.options.supportsDPoP || code.thumbprint == thumbprint,
            // A code verifier is the base64url encoding of random bytes, so decoding and encoding them again restores
            // it.
            let bytes = Base64URL.decode(verifier),
            CodeVerifier(randomBytes: { _ in bytes }).codeChallenge == code.challenge
        else { return nil }
        return code.consent
    }

    private func redeem(refreshToken: String, _ thumbprint: String?) -> Int? {
        self.state.withLock { state in
            guard let token = state.refreshTokens[refreshToken], !state.consents[token.consent].isRevoked,
                token.thumbprint == thumbprint
            else { return nil }
            if token.isUsed {
                // The token was used twice, which may mean that it was stolen (RFC 9700, section 4.14.2).
                state.consents[token.consent].isRevoked = true
                return nil
            }
            if state.options.rotatesRefreshTokens { state.refreshTokens[refreshToken]?.isUsed = true }
            return token.consent
        }
    }

    private func tokens(
        _ number: Int,
        _ thumbprint: String?,
        isRefresh: Bool,
        asked: [String]?
    ) throws -> ScriptedResponse {
        let now = self.clock.date
        let (consent, options, accessToken, refreshToken) = self.state.withLock { state in
            let options = state.options
            let accessToken = state.secret("access", marker: self.marker)
            state.accessTokens[accessToken] = AccessTokenState(
                consent: number,
                expiresAt: now + Double(options.tokenLifetime ?? 3_600),
                thumbprint: thumbprint
            )
            var refreshToken: String?
            if options.issuesRefreshTokens, !isRefresh || options.rotatesRefreshTokens {
                let token = state.secret("refresh", marker: self.marker)
                state.refreshTokens[token] = RefreshToken(consent: number, thumbprint: thumbprint)
                refreshToken = token
            }
            return (state.consents[number], options, accessToken, refreshToken)
        }
        let scopes = isRefresh && options.narrowsScopesOnRefresh ? asked ?? consent.scopes : consent.scopes
        let idToken =
            consent.nonce == nil ? nil : try self.idToken(consent, options, accessToken, now, isRefresh: isRefresh)
        var members = JSONMember.list([
            "access_token": .string(accessToken), "token_type": thumbprint == nil ? "Bearer" : "DPoP",
            "expires_in": options.tokenLifetime.map(JSONNode.integer),
            "refresh_token": refreshToken.map(JSONNode.string),
            "scope": options.includesScopes ? .string(scopes.joined(separator: " ")) : nil,
            "id_token": idToken.map(JSONNode.string),
        ])
        for (name, value) in options.additionalTokenMembers.sorted(by: { $0.key < $1.key }) {
            members.append(JSONMember(name: name, value: .string(value)))
        }
        return .json(JSONNode.object(members).text())
    }

    private func idToken(
        _ consent: Consent,
        _ options: Options,
        _ accessToken: String,
        _ now: Date,
        isRefresh: Bool
    ) throws -> String? {
        let seconds = Int64(now.timeIntervalSince1970)
        let hash = TokenHash.compute(of: accessToken, algorithm: self.signingKey.algorithm)
        let claims = JSONMember.list([
            "iss": .string(Self.issuer), "sub": .string(consent.subject), "aud": .string(Self.clientID),
            "iat": .integer(seconds), "exp": .integer(seconds + 3_600),
            "auth_time": .integer(Int64(consent.consentedAt.timeIntervalSince1970)),
            "email": .string("\(consent.subject)@example.com"), "email_verified": true, "hd": "example.com",
            "at_hash": hash.map(JSONNode.string), "nonce": isRefresh ? nil : consent.nonce.map(JSONNode.string),
        ])
        if let idTokens = options.idTokens { return try idTokens(claims, isRefresh) }
        return try self.sign(claims)
    }

    /// Returns an ID token with the given claims, signed with the provider's key.
    ///
    /// - Throws: Any error that the cryptography library throws.
    public func sign(_ claims: [JSONMember]) throws -> String {
        try self.signingKey.sign(payload: JSONNode.object(claims).serialized(), type: "JWT")
    }
}
