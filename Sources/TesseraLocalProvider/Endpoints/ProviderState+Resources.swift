// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

extension ProviderState {
    /// Returns the userinfo endpoint's response (OpenID Connect Core 1.0, section 5.3).
    func userInformation(_ request: ProviderRequest) throws(TokenFailure) -> ProviderResponse {
        do throws(BearerRefusal) {
            let token = try self.bearer(request, anyOf: [ScopeCatalog.openID])
            guard let account = self.account(token.authorization.subject) else { throw .invalidToken }
            return .json(.object(self.claims(of: account, scopes: token.authorization.scopes)))
        } catch {
            let (code, explanation, status): (String, String, HTTPResponse.Status) =
                switch error {
                case .noToken:
                    ("invalid_request", "The request has no access token.", .unauthorized)
                case .invalidToken:
                    ("invalid_token", "The access token is expired, revoked or malformed.", .unauthorized)
                case .insufficientScope:
                    ("insufficient_scope", "The access token does not have the scope openid.", .forbidden)
                }
            throw TokenFailure(code, explanation, status: status, challenge: self.challenge(error))
        }
    }

    /// Returns information about an access token for debugging, like Google's `tokeninfo` endpoint.
    func tokenInformation(_ request: ProviderRequest) throws(TokenFailure) -> ProviderResponse {
        let text = request.method == .get ? Array(request.query.utf8) : request.body
        guard let parameters = try? FormParameters(received: text),
            let token = parameters["access_token"].flatMap({ self.accessTokens.entry($0, at: self.now) })
        else { throw TokenFailure("invalid_token", "Invalid Value") }
        let authorization = token.authorization
        let account = authorization.scopes.contains(ScopeCatalog.email) ? self.account(authorization.subject) : nil
        let information = JSONNode.members([
            "azp": authorization.clientID, "aud": authorization.clientID, "sub": authorization.subject,
            "scope": authorization.scopes.joined(separator: " "), "exp": String(token.deadline),
            "expires_in": String(token.deadline &- self.now),
            "access_type": authorization.isOffline ? "offline" : "online", "email": account?.email,
            "email_verified": account.map { String($0.isEmailVerified) },
        ])
        return .json(information)
    }

    /// Revokes the account's entire grant to the client, given any of its tokens.
    ///
    /// As with Google, and unlike RFC 7009, an unknown token is an error.
    mutating func revocation(_ request: ProviderRequest) throws(TokenFailure) -> ProviderResponse {
        let text = try Self.requiredValue("token", try Self.form(request))
        let authorizations = [
            self.refreshTokens[text]?.authorization, self.accessTokens.entry(text, at: self.now)?.authorization,
        ]
        guard let authorization = authorizations.compactMap(\.self).first else {
            throw TokenFailure("invalid_token", "Token expired or revoked")
        }
        self.revoke(authorization.key)
        return .json([:])
    }

    /// The reason for rejecting an API call (RFC 6750, section 3).
    enum BearerRefusal: Error {
        case noToken
        case invalidToken
        /// The token has none of these scopes.
        case insufficientScope([String])
    }

    /// Returns a call's access token if it has at least one of the scopes.
    func bearer(_ request: ProviderRequest, anyOf scopes: [String]) throws(BearerRefusal) -> AccessToken {
        let fields = request.headers[values: .authorization]
        guard let field = fields.first else { throw .noToken }
        let words = field.split(separator: " ", maxSplits: 1)
        guard fields.count == 1, words.count == 2, words[0].lowercased() == "bearer",
            let token = self.accessTokens.entry(words[1].trimmed, at: self.now)
                ?? self.selfSignedToken(words[1].trimmed, for: scopes)
        else { throw .invalidToken }
        guard scopes.contains(where: token.authorization.scopes.contains) else { throw .insufficientScope(scopes) }
        return token
    }

    func challenge(_ refusal: BearerRefusal) -> String {
        let realm = "Bearer realm=\"\(self.baseURL)\""
        return switch refusal {
        case .noToken: realm
        case .invalidToken: realm + ", error=\"invalid_token\""
        case .insufficientScope(let scopes):
            realm + ", error=\"insufficient_scope\", scope=\"\(scopes.joined(separator: " "))\""
        }
    }

    /// Returns a discovery document with the same members as Google's.
    func discovery() -> ProviderResponse {
        let claims = [
            "aud", "auth_time", "email", "email_verified", "exp", "family_name", "given_name", "hd", "iat", "iss",
            "locale", "name", "picture", "sub",
        ]
        let document = JSONNode.members([
            "issuer": self.baseURL, "authorization_endpoint": self.baseURL + "/o/oauth2/v2/auth",
            "token_endpoint": self.baseURL + "/token", "userinfo_endpoint": self.baseURL + "/v1/userinfo",
            "revocation_endpoint": self.baseURL + "/revoke", "jwks_uri": self.baseURL + "/oauth2/v3/certs",
            "response_types_supported": ["code"], "response_modes_supported": ["query"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [self.options.signingAlgorithm.rawValue],
            "scopes_supported": ["openid", "email", "profile"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            "claims_supported": claims, "code_challenge_methods_supported": ["S256"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "authorization_response_iss_parameter_supported": self.behavior.sendsIssuerInRedirects ? true : nil,
        ])
        return Self.cacheable(.json(document))
    }

    /// Returns the public keys.
    ///
    /// The cache lifetime is shorter than the retention period for old keys.
    func certificates() -> ProviderResponse {
        let keys = self.keys.published(at: self.now).map(\.publicJWK)
        return Self.cacheable(.json(.members(["keys": keys])))
    }

    static func cacheable(_ response: ProviderResponse) -> ProviderResponse {
        var response = response
        response.headers[.cacheControl] = "public, max-age=3600, must-revalidate"
        response.headers[named: "Pragma"] = nil
        return response
    }
}
#endif
