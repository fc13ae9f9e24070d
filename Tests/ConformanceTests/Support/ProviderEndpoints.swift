// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting

/// The endpoints of a ``ConformanceProvider``, which validate requests as a correct provider does.
final class ProviderEndpoints: Sendable {
    static let subject = "248289761001"
    /// The RSA keys that all tests share, because generating them is slow.
    static let rsaKeys = Result { try [JWSSigningKey.generate(.rs256), .generate(.rs256)] }

    /// The authorization request that a user consented to.
    private struct Consent: Sendable {
        let scope: String
        let nonce: String?
        let challenge: String
        let redirectURI: String
    }

    private struct State: Sendable {
        var keys: [JWSSigningKey]
        var consents: [String: Consent] = [:]
        var idTokens = 0
        var lastNumber = 0

        mutating func number() -> Int {
            self.lastNumber += 1
            return self.lastNumber
        }
    }

    /// The client's key for `private_key_jwt`.
    static let clientKey = Result { try JWSSigningKey.generate(.es256) }

    /// The registered authentication method of the client.
    let authentication: ClientAuthentication
    let behavior: Behavior
    /// The variant of FAPI 2.0, or nil for a provider of OpenID Connect only.
    let variant: FAPIVariant?
    let pushed = Mutex(Pushed())
    private let clock: TestClock
    private let state: Mutex<State>

    init(
        _ behavior: Behavior,
        authentication: ClientAuthentication,
        variant: FAPIVariant? = nil,
        clock: TestClock
    ) throws {
        self.behavior = behavior
        self.variant = variant
        self.authentication = authentication
        self.clock = clock
        let keys =
            switch behavior.algorithm {
            case .rs256, .ps256:
                try Self.rsaKeys.get()
                    .map { try JWSSigningKey(pem: $0.pemRepresentation, algorithm: behavior.algorithm) }
            default: [try JWSSigningKey.generate(behavior.algorithm), try .generate(behavior.algorithm)]
            }
        self.state = Mutex(State(keys: keys))
    }

    func rotateKey() { self.state.withLock { $0.keys.swapAt(0, 1) } }

    func response(_ request: RecordedRequest) -> HostileResponse {
        let issuer = self.variant == nil ? "http://\(request.head.authority ?? "")" : Self.fapiIssuer
        do {
            return switch request.path {
            case "/.well-known/openid-configuration": self.metadata(issuer)
            case "/keys": try self.keys()
            case "/par": try self.push(request, issuer)
            case "/authorize": try self.authorize(request.query, issuer)
            case "/token": try self.token(request, issuer)
            case "/register": try self.register(request)
            case "/logout": self.logout(request.query)
            case "/userinfo": try self.userInfo(request, issuer)
            default: .status(.notFound)
            }
        } catch let error as BindingError {
            return self.rejection(error, of: request)
        } catch {
            return .status(.internalServerError)
        }
    }

    private static func json(_ members: Behavior.Members, _ change: Behavior.Change = { _ in }) -> HostileResponse {
        var members = members
        change(&members)
        return .json(JSONNode.members(members).text())
    }

    private func metadata(_ issuer: String) -> HostileResponse {
        let members: Behavior.Members = [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"),
            "jwks_uri": .string(issuer + "/keys"),
            "userinfo_endpoint": .string(issuer + "/userinfo"),
            "registration_endpoint": .string(issuer + "/register"),
            "end_session_endpoint": .string(issuer + "/logout"),
            "response_types_supported": ["code", "code id_token"],
            "response_modes_supported": ["query", "fragment", "form_post"],
            "token_endpoint_auth_methods_supported": [.string(self.authentication.rawValue)],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [.string(self.behavior.algorithm.rawValue)],
            "code_challenge_methods_supported": ["S256"],
        ]
        return Self.json(members.merging(self.fapiMetadata(issuer)) { $1 }, self.behavior.metadata)
    }

    private func keys() throws -> HostileResponse {
        let key = self.state.withLock { $0.keys[0].publicJWK }
        return .json(JSONNode.members(["keys": .array(try self.behavior.keys(key))]).text())
    }

    private func authorize(_ query: [FormParameter], _ issuer: String) throws -> HostileResponse {
        guard let query = self.authorizationParameters(query) else { return .status(.badRequest) }
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        let isHybrid = value("response_type") == "code id_token"
        guard Set(query.map(\.name)).count == query.count, isHybrid || value("response_type") == "code",
            value("client_id") == ConformanceProvider.clientID, value("code_challenge_method") == "S256",
            let state = value("state"), let redirectURI = value("redirect_uri"), let scope = value("scope"),
            let challenge = value("code_challenge")
        else { return .status(.badRequest) }
        var members: Behavior.Members = ["state": .string(state)]
        if self.variant != nil { members["iss"] = .string(issuer) }
        if value("prompt") == "none" {
            members["error"] = "login_required"
        } else {
            let consent = Consent(scope: scope, nonce: value("nonce"), challenge: challenge, redirectURI: redirectURI)
            let code = self.state.withLock { provider in
                let code = "code-\(provider.number())"
                provider.consents[code] = consent
                return code
            }
            members["code"] = .string(code)
            if isHybrid {
                let claims = try self.claims(consent, ["c_hash": code], issuer)
                members["id_token"] = .string(try self.idToken(claims, self.behavior.idToken))
            }
        }
        let parameters = try self.responseParameters(members, isSigned: value("response_mode") == "jwt")
        guard value("response_mode") == "form_post" else {
            let pairs = parameters.map { "\($0)=\($1)" }.joined(separator: "&")
            return .redirect(to: redirectURI + (isHybrid ? "#" : "?") + pairs)
        }
        let inputs = parameters.map { #"<input type="hidden" name="\#($0)" value="\#($1)">"# }.joined()
        let page = #"<form method="post" action="\#(redirectURI)">\#(inputs)</form>"#
        return .respond(headerFields: [.contentType: "text/html"], body: Array(page.utf8))
    }

    /// Returns the parameters of an authorization response, which are wrapped in a JWT if it is signed (JARM).
    private func responseParameters(
        _ members: Behavior.Members,
        isSigned: Bool
    ) throws -> [(name: String, value: String)] {
        var members = members
        if isSigned {
            members["aud"] = .string(ConformanceProvider.clientID)
            members["exp"] = .integer(Int64(self.clock.date.timeIntervalSince1970) + 600)
        }
        self.behavior.authorizationResponse(&members)
        if isSigned {
            let key = self.state.withLock { $0.keys[0] }
            let token = try self.behavior.signResponse(JSONNode.members(members).serialized(), key)
            return [("response", token)]
        }
        return members.sorted { $0.key < $1.key }
            .compactMap { name, value in
                if case .string(let text) = value { (name, text) } else { nil }
            }
    }

    private func token(_ request: RecordedRequest, _ issuer: String) throws -> HostileResponse {
        guard try self.isAuthentic(request, issuer) else {
            return .json(#"{"error":"invalid_client"}"#, status: .unauthorized)
        }
        let binding = try self.binding(of: request)
        let isRefresh = request.formValue("grant_type") == "refresh_token"
        let name = isRefresh ? "refresh_token" : "code"
        guard let consent = self.state.withLock({ $0.consents.removeValue(forKey: request.formValue(name) ?? "") }),
            isRefresh || Self.isProven(request, consent)
        else { return .json(#"{"error":"invalid_grant"}"#, status: .badRequest) }
        let (accessToken, refreshToken) = self.state.withLock { provider in
            let number = provider.number()
            provider.consents["refresh-\(number)"] = consent
            return ("access-\(number)", "refresh-\(number)")
        }
        if let binding { self.pushed.withLock { $0.bindings[accessToken] = binding } }
        var claims = try self.claims(consent, ["at_hash": accessToken], issuer)
        if isRefresh { claims["nonce"] = nil }
        let change = isRefresh ? self.behavior.refreshedIDToken : self.behavior.idToken
        return Self.json(
            [
                "access_token": .string(accessToken),
                "token_type": self.variant?.usesDPoP == true ? "DPoP" : "Bearer", "expires_in": 3_600,
                "refresh_token": .string(refreshToken), "scope": .string(consent.scope),
                "id_token": .string(try self.idToken(claims, change)),
            ],
            self.behavior.tokenResponse
        )
    }

    /// Returns the claims of an ID token, with the hashes of the secrets that are issued with it.
    private func claims(_ consent: Consent, _ secrets: [String: String], _ issuer: String) throws -> Behavior.Members {
        let now = Int64(self.clock.date.timeIntervalSince1970)
        var claims: Behavior.Members = [
            "iss": .string(issuer), "sub": .string(Self.subject), "aud": .string(ConformanceProvider.clientID),
            "iat": .integer(now), "exp": .integer(now + 600),
        ]
        claims["nonce"] = consent.nonce.map { .string($0) }
        for (name, secret) in secrets {
            claims[name] = TokenHash.compute(of: secret, algorithm: self.behavior.algorithm).map { .string($0) }
        }
        return claims
    }

    private func idToken(_ claims: Behavior.Members, _ change: Behavior.Change) throws -> String {
        let key = self.state.withLock { provider in
            provider.idTokens += 1
            if self.behavior.rotatesBeforeSigning, provider.idTokens > 1 { provider.keys.swapAt(0, 1) }
            return provider.keys[0]
        }
        var claims = claims
        change(&claims)
        return try self.behavior.sign(JSONNode.members(claims).serialized(), key)
    }

    func logoutToken(
        _ issuer: String,
        changing change: Behavior.Change,
        sign: (_ claims: [UInt8], _ key: JWSSigningKey) throws -> String
    ) throws -> String {
        let now = Int64(self.clock.date.timeIntervalSince1970)
        var claims: Behavior.Members = [
            "iss": .string(issuer), "sub": .string(Self.subject), "aud": .string(ConformanceProvider.clientID),
            "iat": .integer(now), "exp": .integer(now + 120), "jti": "logout-1", "events": [LogoutToken.event: [:]],
        ]
        change(&claims)
        return try sign(JSONNode.members(claims).serialized(), self.state.withLock { $0.keys[0] })
    }

    private func userInfo(_ request: RecordedRequest, _ issuer: String) throws -> HostileResponse {
        guard try self.isAuthorized(request) else {
            return .status(.unauthorized, headerFields: [.wwwAuthenticate: "Bearer"])
        }
        var claims: Behavior.Members = ["sub": .string(Self.subject), "email": "ada@example.com"]
        self.behavior.userInfo(&claims)
        guard let sign = self.behavior.signUserInfo else { return .json(JSONNode.members(claims).text()) }
        claims["iss"] = .string(issuer)
        claims["aud"] = .string(ConformanceProvider.clientID)
        let token = try sign(JSONNode.members(claims).serialized(), self.state.withLock { $0.keys[0] })
        return .respond(headerFields: [.contentType: "application/jwt"], body: Array(token.utf8))
    }

    /// Returns whether the code verifier and the redirect URI match (RFC 7636, section 4.6; RFC 6749, section 4.1.3).
    private static func isProven(_ request: RecordedRequest, _ consent: Consent) -> Bool {
        guard let bytes = Base64URL.decode(request.formValue("code_verifier") ?? "") else { return false }
        return CodeVerifier(randomBytes: { _ in bytes }).codeChallenge == consent.challenge
            && request.formValue("redirect_uri") == consent.redirectURI
    }
}
