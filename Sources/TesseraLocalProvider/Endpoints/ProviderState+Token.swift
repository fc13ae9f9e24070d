// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

extension ProviderState {
    mutating func token(_ request: ProviderRequest) throws(TokenFailure) -> ProviderResponse {
        self.tokenRequestCount += 1
        let fault = self.behavior.tokenFaults.isEmpty ? nil : self.behavior.tokenFaults.removeFirst()
        if let fault, let response = Self.response(to: fault) { return response }
        let form = try Self.form(request)
        guard let grantType = form["grant_type"] else {
            throw .invalidRequest("Missing required parameter: grant_type")
        }
        if grantType == "refresh_token" { self.refreshRequestCount += 1 }
        var response =
            switch grantType {
            case Self.assertionGrantType where self.cloud != nil: try self.assertionGrant(form)
            case "authorization_code": try self.exchange(form, try self.authenticatedClient(request, form))
            case "refresh_token": try self.refresh(form, try self.authenticatedClient(request, form))
            default: throw try self.unsupportedGrantType(request, form)
            }
        if fault == .truncatedResponse, case .bytes(let bytes) = response.content {
            response.cutLength = bytes.count / 2
        }
        response.isHeld = fault == .delayedResponse
        return response
    }

    private func unsupportedGrantType(
        _ request: ProviderRequest,
        _ form: FormParameters
    ) throws(TokenFailure) -> TokenFailure {
        _ = try self.authenticatedClient(request, form)
        let explanation = "The grant type must be authorization_code or refresh_token."
        return TokenFailure("unsupported_grant_type", explanation)
    }

    /// Returns the form in a token or revocation request, which must not contain repeated parameters.
    static func form(_ request: ProviderRequest) throws(TokenFailure) -> FormParameters {
        guard request.isForm else { throw .invalidRequest("Send the request as application/x-www-form-urlencoded.") }
        guard let form = request.form else { throw .invalidRequest("The body is not a well-formed form.") }
        if let name = form.repeatedName { throw .invalidRequest("The parameter \(name.debugDescription) is repeated.") }
        return form
    }

    static func requiredValue(_ name: String, _ form: FormParameters) throws(TokenFailure) -> String {
        guard let value = form[name] else { throw .invalidRequest("Missing required parameter: \(name)") }
        return value
    }

    static func invalidGrant(_ explanation: String) -> TokenFailure { TokenFailure("invalid_grant", explanation) }

    /// Returns the response for a fault that leaves the grant unaffected, or `nil` for other faults.
    private static func response(to fault: LocalProviderOptions.TokenFault) -> ProviderResponse? {
        switch fault {
        case .unavailable(let retryAfter):
            var response =
                TokenFailure("temporarily_unavailable", "Try again later.", status: .serviceUnavailable).response
            response.headers[.retryAfter] = retryAfter.map(String.init)
            return response
        case .error(let code):
            return TokenFailure(code, "A test requested this error.").response
        case .html:
            let page = "<!doctype html><title>Sign in to the network</title>"
            let headers: HTTPFields = [.contentType: "text/html; charset=utf-8"]
            return ProviderResponse(.ok, headers: headers, content: .bytes(Array(page.utf8)))
        case .truncatedResponse, .delayedResponse:
            return nil
        }
    }

    /// Returns the client, which must authenticate either with Basic or in the form but not both (RFC 6749, section
    /// 2.3.1).
    func authenticatedClient(
        _ request: ProviderRequest,
        _ form: FormParameters
    ) throws(TokenFailure) -> LocalProviderClient {
        if let refusal = self.behavior.refreshRefusal, refusal.isOfClient { throw refusal.failure }
        var challenge: String?
        let proof: (id: String, secret: String)?
        if let header = request.headers[.authorization] {
            challenge = "Basic realm=\"\(self.baseURL)\""
            if form["client_secret"] != nil { throw .invalidRequest("Use only one method of client authentication.") }
            proof = Self.basicCredentials(header)
        } else {
            guard let id = form["client_id"] else {
                throw .invalidRequest("Could not determine client ID from request.")
            }
            proof = (id, form["client_secret"] ?? "")
        }
        let refusal = { (explanation: String) in
            TokenFailure("invalid_client", explanation, status: .unauthorized, challenge: challenge)
        }
        guard let proof, let client = self.client(proof.id) else { throw refusal("The OAuth client was not found.") }
        if challenge == nil, form["client_secret"] == nil, !client.secret.isEmpty {
            throw .invalidRequest("client_secret is missing.")
        }
        guard form["client_id"] == nil || form["client_id"] == proof.id else {
            throw .invalidRequest("The request names two different clients.")
        }
        guard Self.isEqual(proof.secret, client.secret) else { throw refusal("The provided client secret is invalid.") }
        return client
    }

    private static func isEqual(_ left: String, _ right: String) -> Bool {
        SHA256.hash(data: Array(left.utf8)) == SHA256.hash(data: Array(right.utf8))
    }

    private static func basicCredentials(_ header: String) -> (id: String, secret: String)? {
        let words = header.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "basic",
            let decoded = Data(base64Encoded: words[1].trimmed),
            let text = String(wellFormedUTF8: decoded)
        else { return nil }
        let sides = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, let id = Self.formDecoded(sides[0]), let secret = Self.formDecoded(sides[1]) else {
            return nil
        }
        return (id, secret)
    }

    private static func formDecoded(_ text: Substring) -> String? {
        let value = text.replacing("&", with: "%26")
        return (try? FormParameters(decoding: "v=\(value)"))?["v"]
    }

    /// Exchanges an authorization code for tokens.
    ///
    /// A code can be used only once, and only with the matching client, redirect URI and code verifier.
    mutating func exchange(
        _ form: FormParameters,
        _ client: LocalProviderClient
    ) throws(TokenFailure) -> ProviderResponse {
        let text = try Self.requiredValue("code", form)
        guard var code = self.codes.entry(text, at: self.now), code.authorization.clientID == client.id else {
            throw Self.invalidGrant("Malformed auth code.")
        }
        if let family = code.usedForFamily {
            self.revoke(family: family)
            throw Self.invalidGrant("The code was already used. The tokens issued for it have been revoked.")
        }
        guard code.deadline > self.now else { throw Self.invalidGrant("The code has expired.") }
        let redirectURI = form["redirect_uri"] ?? ""
        guard redirectURI == code.redirectURI || (code.redirectURI.isEmpty && redirectURI == "postmessage") else {
            throw Self.invalidGrant("The redirect URI does not match the authorization request.")
        }
        do throws(TokenFailure) {
            try Self.check(form["code_verifier"], code.codeChallenge)
        } catch {
            if form["code_verifier"] != nil { self.codes.remove(text, at: self.now) }
            throw error
        }
        let family = self.nextFamily
        self.nextFamily += 1
        code.usedForFamily = family
        self.codes.set(text, code, until: self.now + 2 * Self.codeLifetime, at: self.now)
        var refreshToken: String?
        let authorization = code.authorization
        let end = self.grantEnd(scopes: authorization.scopes)
        if authorization.isOffline {
            self.makeRoom(for: authorization.key)
            refreshToken = self.addRefreshToken(
                RefreshToken(authorization: authorization, family: family, usedAt: self.now, end: end)
            )
        }
        let access = AccessToken(authorization: authorization, deadline: self.deadline(), family: family)
        let serverCode = authorization.audience.map { self.serverCode(for: $0, after: code) }
        return try self.response(
            access,
            refreshToken,
            grantEnd: authorization.isOffline ? end : nil,
            serverCode: serverCode
        )
    }

    /// Returns the time at which a new grant expires, or `nil` if it never expires.
    private func grantEnd(scopes: [String]) -> Int64? {
        let isHarmless = Set(scopes).isSubset(of: [ScopeCatalog.openID, ScopeCatalog.email, ScopeCatalog.profile])
        let testing = self.behavior.clientsAreInTesting && !isHarmless ? self.now + Self.testingLifetime : nil
        let limited = self.behavior.grantLifetime.map { self.now + Int64($0) }
        return [testing, limited].compactMap { $0 }.min()
    }

    /// Issues a code for the app's server.
    ///
    /// The code is bound to its client, but not to a redirect URI or a code challenge.
    private mutating func serverCode(for audience: String, after code: AuthorizationCode) -> String {
        let text = "4/" + self.randomText()
        var serverCode = code
        serverCode.authorization.clientID = audience
        (serverCode.authorization.nonce, serverCode.authorization.audience) = (nil, nil)
        serverCode.authorization.isOffline = true
        (serverCode.redirectURI, serverCode.codeChallenge, serverCode.usedForFamily) = ("", nil, nil)
        serverCode.deadline = self.now + Self.codeLifetime
        self.codes.set(text, serverCode, until: serverCode.deadline + Self.codeLifetime, at: self.now)
        return text
    }

    private static func check(_ verifier: String?, _ challenge: String?) throws(TokenFailure) {
        guard let challenge else {
            guard verifier == nil else { throw Self.invalidGrant("A code verifier was not expected.") }
            return
        }
        guard let verifier else { throw Self.invalidGrant("Missing code verifier.") }
        guard Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8)))) == challenge else {
            throw Self.invalidGrant("Invalid code verifier.")
        }
    }

    /// If the limit has been reached, silently ends the oldest session between the account and the client, as Google
    /// does.
    private mutating func makeRoom(for grant: ConsentKey) {
        let families = Set(self.refreshTokens.values.filter { $0.authorization.key == grant }.map(\.family))
        if families.count >= self.behavior.signInLimit, let oldest = families.min() { self.revoke(family: oldest) }
    }

    /// Refreshes an access token and, if configured, rotates the refresh token.
    mutating func refresh(
        _ form: FormParameters,
        _ client: LocalProviderClient
    ) throws(TokenFailure) -> ProviderResponse {
        let text = try Self.requiredValue("refresh_token", form)
        if let cloud, text == cloud.options.reauthenticationToken {
            throw LocalProviderOptions.RefreshRefusal.reauthentication.failure
        }
        guard var token = self.refreshTokens[text], token.authorization.clientID == client.id, self.isAlive(token)
        else { throw Self.invalidGrant("Token has been expired or revoked.") }
        if let refusal = self.behavior.refreshRefusal { throw refusal.failure }
        if token.isReplaced {
            self.revoke(family: token.family)
            throw Self.invalidGrant("The refresh token was already replaced. The session has been revoked.")
        }
        let requested = form["scope"].map { $0.split(separator: " ").map { ScopeCatalog.canonical(String($0)) } }
        guard Set(requested ?? []).isSubset(of: token.authorization.scopes) else {
            throw TokenFailure("invalid_scope", "The refresh requests scopes that were not granted.")
        }
        let audience = form["audience"]
        guard audience.map({ self.client($0)?.kind == .web }) ?? true else {
            throw .invalidRequest("The audience is not a web client of this project.")
        }
        var access = AccessToken(authorization: token.authorization, deadline: self.deadline(), family: token.family)
        access.authorization.scopes = requested ?? token.authorization.scopes
        (access.authorization.audience, access.authorization.nonce) = (audience, nil)
        token.usedAt = self.now
        self.refreshTokens[text] = token
        var newToken: String?
        if self.options.rotateRefreshTokens {
            self.refreshTokens[text]?.isReplaced = true
            newToken = self.addRefreshToken(token)
        } else if self.behavior.repeatsRefreshToken {
            newToken = text
        }
        self.behavior.afterRefresh?(token.authorization.subject)
        return try self.response(access, newToken, grantEnd: token.end)
    }

    private func isAlive(_ token: RefreshToken) -> Bool {
        token.end.map { $0 > self.now } ?? true && token.usedAt + Self.idleLifetime > self.now
    }

    private func deadline() -> Int64 {
        self.now.addingReportingOverflow(Int64(self.options.accessTokenLifetime)).partialValue
    }

    /// Issues an access token and returns the token response.
    private mutating func response(
        _ access: AccessToken,
        _ refreshToken: String?,
        grantEnd: Int64?,
        serverCode: String? = nil
    ) throws(TokenFailure) -> ProviderResponse {
        let text = self.issue(access)
        var idToken: String?
        let scopes = access.authorization.scopes
        if scopes.contains(ScopeCatalog.openID), let account = self.account(access.authorization.subject) {
            idToken = try self.idToken(account, access, text)
        }
        let lifetime = Int64(self.options.accessTokenLifetime)
        return .json(
            .members([
                "access_token": text, "expires_in": self.behavior.omitsExpiry ? nil : lifetime,
                "refresh_token": refreshToken, "refresh_token_expires_in": grantEnd.map { max(0, $0 - self.now) },
                "server_code": serverCode, "scope": scopes.joined(separator: " "), "token_type": "Bearer",
                "id_token": idToken,
            ])
        )
    }

    mutating func issue(_ token: AccessToken) -> String {
        let text = "ya29.local." + self.randomText()
        self.accessTokens.set(text, token, until: token.deadline, at: self.now)
        return text
    }

    mutating func addRefreshToken(_ token: RefreshToken) -> String {
        let text = "1//" + self.randomText()
        self.refreshTokens[text] = token
        return text
    }

    /// Returns a signed ID token that contains the same claims as Google's.
    private func idToken(
        _ account: LocalProviderAccount,
        _ access: AccessToken,
        _ accessToken: String
    ) throws(TokenFailure) -> String {
        let authorization = access.authorization
        let hash = TokenHash.compute(of: accessToken, algorithm: self.options.signingAlgorithm)
        let claims =
            JSONMember.list([
                "iss": self.baseURL, "azp": authorization.clientID,
                "aud": authorization.audience ?? authorization.clientID,
            ]) + self.claims(of: account, scopes: authorization.scopes)
            + JSONMember.list([
                "at_hash": hash, "nonce": authorization.nonce, "auth_time": authorization.authenticatedAt,
                "iat": self.now, "exp": access.deadline,
            ])
        return try self.signed(claims)
    }

    /// Returns an ID token with the given claims.
    func signed(_ claims: [JSONMember]) throws(TokenFailure) -> String {
        do {
            return try self.keys.current.sign(payload: JSONNode.object(claims).serialized(), type: "JWT")
        } catch {
            throw TokenFailure("server_error", "The ID token could not be signed.", status: .internalServerError)
        }
    }

    /// Returns those claims about the user that the scopes allow, for ID tokens and the userinfo endpoint.
    func claims(of account: LocalProviderAccount, scopes: [String]) -> [JSONMember] {
        var claims = JSONMember.list(["sub": account.subject, "hd": account.hostedDomain])
        if scopes.contains(ScopeCatalog.email) {
            claims += JSONMember.list(["email": account.email, "email_verified": account.isEmailVerified])
        }
        if scopes.contains(ScopeCatalog.profile) {
            claims += JSONMember.list([
                "name": account.name, "given_name": account.givenName, "family_name": account.familyName,
                "picture": self.pictureURL(of: account), "locale": account.locale,
            ])
        }
        return claims
    }
}

/// An error response from the token endpoint or the revocation endpoint (RFC 6749, section 5.2).
struct TokenFailure: EndpointFailure {
    var code: String
    var explanation: String
    var status: HTTPResponse.Status = .badRequest
    var challenge: String?
    /// Google's `error_subtype`.
    var subtype: String?
    var uri: String?

    init(
        _ code: String,
        _ explanation: String,
        status: HTTPResponse.Status = .badRequest,
        challenge: String? = nil,
        subtype: String? = nil,
        uri: String? = nil
    ) {
        (self.code, self.explanation, self.status) = (code, explanation, status)
        (self.challenge, self.subtype, self.uri) = (challenge, subtype, uri)
    }

    static func invalidRequest(_ explanation: String) -> Self { Self("invalid_request", explanation) }

    var response: ProviderResponse {
        let node = JSONNode.members([
            "error": self.code, "error_description": self.explanation, "error_subtype": self.subtype,
            "error_uri": self.uri,
        ])
        var response = ProviderResponse.json(node, status: self.status)
        response.headers[.wwwAuthenticate] = self.challenge
        return response
    }
}
#endif
