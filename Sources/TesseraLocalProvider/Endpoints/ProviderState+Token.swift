// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Crypto
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

extension ProviderState {
    /// The token endpoint.
    mutating func token(_ request: EndpointRequest, at now: Int64) -> EndpointResponse {
        self.tokenRequestCount += 1
        let fault = self.behaviour.tokenFaults.isEmpty ? nil : self.behaviour.tokenFaults.removeFirst()
        if let fault, let response = Self.response(to: fault) { return response }
        do throws(TokenFailure) {
            let form = try Self.form(request)
            guard let grantType = form["grant_type"] else {
                throw TokenFailure(code: "invalid_request", explanation: "Missing required parameter: grant_type")
            }
            if grantType == "refresh_token" { self.refreshRequestCount += 1 }
            let client = try self.authenticatedClient(request, form)
            var response =
                switch grantType {
                case "authorization_code": try self.exchange(form, client, at: now)
                case "refresh_token": try self.refresh(form, client, at: now)
                default:
                    throw TokenFailure(
                        code: "unsupported_grant_type",
                        explanation: "This provider knows authorization_code and refresh_token."
                    )
                }
            response.isCut = fault == .cutAnswer
            response.isHeld = fault == .heldAnswer
            return response
        } catch {
            return error.response
        }
    }

    /// The form of a token or revocation request: one value for each name.
    static func form(_ request: EndpointRequest) throws(TokenFailure) -> FormParameters {
        guard request.contentType == "application/x-www-form-urlencoded" else {
            throw TokenFailure(
                code: "invalid_request",
                explanation: "Send the request as application/x-www-form-urlencoded."
            )
        }
        guard let form = try? FormParameters(decoding: request.body) else {
            throw TokenFailure(code: "invalid_request", explanation: "The body is not a well-formed form.")
        }
        if let name = form.repeatedName {
            throw TokenFailure(
                code: "invalid_request",
                explanation: "The parameter \(name.debugDescription) is repeated."
            )
        }
        return form
    }

    static func requiredValue(_ name: String, _ form: FormParameters) throws(TokenFailure) -> String {
        guard let value = form[name] else {
            throw TokenFailure(code: "invalid_request", explanation: "Missing required parameter: \(name)")
        }
        return value
    }

    static func invalidGrant(_ explanation: String) -> TokenFailure {
        TokenFailure(code: "invalid_grant", explanation: explanation)
    }

    /// The answer of a fault that leaves the grant alone; nil for one that does not.
    private static func response(to fault: LocalProviderOptions.TokenFault) -> EndpointResponse? {
        switch fault {
        case .unavailable(let retryAfter):
            var response = TokenFailure(
                code: "temporarily_unavailable",
                explanation: "Try again later.",
                status: .serviceUnavailable
            )
            .response
            response.headers[.retryAfter] = retryAfter.map(String.init)
            return response
        case .error(let code):
            return TokenFailure(code: code, explanation: "As the test asked.").response
        case .html:
            var response = EndpointResponse(
                .ok,
                content: .bytes(Array("<!doctype html><title>Sign in to the network</title>".utf8))
            )
            response.headers[.contentType] = "text/html; charset=utf-8"
            return response
        case .cutAnswer, .heldAnswer:
            return nil
        }
    }
}

extension ProviderState {
    /// The client that proved itself, by Basic or in the form, never by both (RFC 6749, section 2.3.1).
    func authenticatedClient(
        _ request: EndpointRequest,
        _ form: FormParameters
    ) throws(TokenFailure) -> LocalProviderClient {
        if let refusal = self.behaviour.refreshRefusal, refusal.isOfClient { throw refusal.failure }
        guard let header = request.headers[.authorization] else {
            guard let id = form["client_id"] else {
                throw TokenFailure(code: "invalid_request", explanation: "Could not determine client ID from request.")
            }
            guard let client = self.client(id) else { throw Self.unknownClient(challenge: nil) }
            guard let secret = form["client_secret"] else {
                throw TokenFailure(code: "invalid_request", explanation: "client_secret is missing.")
            }
            guard Self.isEqual(secret, client.secret) else { throw Self.wrongSecret(challenge: nil) }
            return client
        }
        let challenge = "Basic realm=\"\(self.baseURL)\""
        guard form["client_secret"] == nil else {
            throw TokenFailure(code: "invalid_request", explanation: "Use one way of client authentication, not two.")
        }
        guard let (id, secret) = Self.basicCredentials(header), let client = self.client(id) else {
            throw Self.unknownClient(challenge: challenge)
        }
        guard form["client_id"] == nil || form["client_id"] == id else {
            throw TokenFailure(code: "invalid_request", explanation: "The request names two different clients.")
        }
        guard Self.isEqual(secret, client.secret) else { throw Self.wrongSecret(challenge: challenge) }
        return client
    }

    private static func unknownClient(challenge: String?) -> TokenFailure {
        TokenFailure(
            code: "invalid_client",
            explanation: "The OAuth client was not found.",
            status: .unauthorized,
            challenge: challenge
        )
    }

    private static func wrongSecret(challenge: String?) -> TokenFailure {
        TokenFailure(
            code: "invalid_client",
            explanation: "The provided client secret is invalid.",
            status: .unauthorized,
            challenge: challenge
        )
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
        (try? FormParameters(
            decoding: "v="
                + text.split(separator: "&", omittingEmptySubsequences: false)
                .joined(separator: "%26")
        ))?
        .pairs.first?
        .value
    }
}

extension ProviderState {
    /// The authorization code grant: a code is good once, for the client, redirect URI and verifier that it belongs to.
    mutating func exchange(
        _ form: FormParameters,
        _ client: LocalProviderClient,
        at now: Int64
    ) throws(TokenFailure) -> EndpointResponse {
        let text = try Self.requiredValue("code", form)
        guard var code = self.codes.entry(text, at: now), code.clientID == client.id else {
            throw Self.invalidGrant("Malformed auth code.")
        }
        if let family = code.usedForFamily {
            self.revoke(family: family)
            throw Self.invalidGrant("The code was used before; what it gave is revoked.")
        }
        guard code.deadline > now else { throw Self.invalidGrant("The code has expired.") }
        let redirectURI = form["redirect_uri"] ?? ""
        guard redirectURI == code.redirectURI || (code.redirectURI.isEmpty && redirectURI == "postmessage") else {
            throw Self.invalidGrant("The redirect URI is not the one of the authorization request.")
        }
        do throws(TokenFailure) {
            try Self.check(form["code_verifier"], code.codeChallenge)
        } catch {
            if form["code_verifier"] != nil { self.codes.remove(text, at: now) }
            throw error
        }
        let family = self.nextFamily
        self.nextFamily += 1
        code.usedForFamily = family
        self.codes.set(text, code, until: now + 2 * Self.codeLifetime, at: now)
        var refreshToken: String?
        let end = self.grantEnd(scopes: code.scopes, at: now)
        if code.isOffline {
            self.makeRoom(for: GrantKey(clientID: client.id, subject: code.subject))
            refreshToken = self.addRefreshToken(
                RefreshToken(
                    clientID: client.id,
                    subject: code.subject,
                    scopes: code.scopes,
                    authenticatedAt: code.authenticatedAt,
                    family: family,
                    usedAt: now,
                    end: end
                )
            )
        }
        let access = AccessToken(
            clientID: client.id,
            subject: code.subject,
            scopes: code.scopes,
            isOffline: code.isOffline,
            deadline: self.deadline(at: now),
            family: family,
            audience: code.audience
        )
        return try self.answer(
            access,
            refreshToken: refreshToken,
            grantEnd: code.isOffline ? end : nil,
            nonce: code.nonce,
            authenticatedAt: code.authenticatedAt,
            serverCode: code.audience.map { self.serverCode(for: $0, after: code, at: now) },
            at: now
        )
    }

    /// When a grant that is given now ends; nil for never.
    private func grantEnd(scopes: [String], at now: Int64) -> Int64? {
        let isHarmless = Set(scopes).isSubset(of: [ScopeCatalog.openID, ScopeCatalog.email, ScopeCatalog.profile])
        let testing = self.behaviour.clientsAreInTesting && !isHarmless ? now + Self.testingLifetime : nil
        let limited = self.behaviour.grantLifetime.map { now + Int64($0) }
        return [testing, limited].compactMap { $0 }.min()
    }

    /// A code for the program's server: for its client, without redirect and challenge.
    private mutating func serverCode(for audience: String, after code: AuthorizationCode, at now: Int64) -> String {
        let text = "4/" + self.randomText()
        let deadline = now + Self.codeLifetime
        let serverCode = AuthorizationCode(
            clientID: audience,
            redirectURI: "",
            codeChallenge: nil,
            subject: code.subject,
            scopes: code.scopes,
            nonce: nil,
            authenticatedAt: code.authenticatedAt,
            isOffline: true,
            deadline: deadline
        )
        self.codes.set(text, serverCode, until: deadline + Self.codeLifetime, at: now)
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

    /// Beyond the limit the account's oldest session at the client ends silently, as at Google.
    private mutating func makeRoom(for grant: GrantKey) {
        let families = Set(self.refreshTokens.values.filter { GrantKey($0) == grant }.map(\.family))
        if families.count >= self.behaviour.signInLimit, let oldest = families.min() { self.revoke(family: oldest) }
    }
}

extension ProviderState {
    /// The refresh grant, with rotation when the options ask for it.
    mutating func refresh(
        _ form: FormParameters,
        _ client: LocalProviderClient,
        at now: Int64
    ) throws(TokenFailure) -> EndpointResponse {
        let text = try Self.requiredValue("refresh_token", form)
        guard var token = self.refreshTokens[text], token.clientID == client.id, self.isAlive(token, at: now) else {
            throw Self.invalidGrant("Token has been expired or revoked.")
        }
        if let refusal = self.behaviour.refreshRefusal { throw refusal.failure }
        if token.isReplaced {
            self.revoke(family: token.family)
            throw Self.invalidGrant("The refresh token was replaced by a newer one; the session is revoked.")
        }
        let asked = form["scope"].map { $0.split(separator: " ").map { ScopeCatalog.canonical(String($0)) } }
        guard Set(asked ?? []).isSubset(of: token.scopes) else {
            throw TokenFailure(code: "invalid_scope", explanation: "The refresh asks for more than was granted.")
        }
        let audience = form["audience"]
        guard audience.map({ self.client($0)?.kind == .web }) ?? true else {
            throw TokenFailure(code: "invalid_request", explanation: "The audience is no web client of this project.")
        }
        let access = AccessToken(
            clientID: client.id,
            subject: token.subject,
            scopes: asked ?? token.scopes,
            isOffline: true,
            deadline: self.deadline(at: now),
            family: token.family,
            audience: audience
        )
        token.usedAt = now
        self.refreshTokens[text] = token
        var newToken: String?
        if self.options.rotateRefreshTokens {
            self.refreshTokens[text]?.isReplaced = true
            newToken = self.addRefreshToken(token)
        } else if self.behaviour.repeatsRefreshToken {
            newToken = text
        }
        self.behaviour.afterRefresh?(token.subject)
        return try self.answer(
            access,
            refreshToken: newToken,
            grantEnd: token.end,
            nonce: nil,
            authenticatedAt: token.authenticatedAt,
            at: now
        )
    }

    private func isAlive(_ token: RefreshToken, at now: Int64) -> Bool {
        token.end.map { $0 > now } ?? true && token.usedAt + Self.idleLifetime > now
    }
}

extension ProviderState {
    func deadline(at now: Int64) -> Int64 {
        now.addingReportingOverflow(Int64(self.options.accessTokenLifetime)).partialValue
    }

    /// Makes an access token and the answer that carries it.
    mutating func answer(
        _ access: AccessToken,
        refreshToken: String?,
        grantEnd: Int64?,
        nonce: String?,
        authenticatedAt: Int64?,
        serverCode: String? = nil,
        at now: Int64
    ) throws(TokenFailure) -> EndpointResponse {
        let text = "ya29.local." + self.randomText()
        self.accessTokens.set(text, access, until: access.deadline, at: now)
        var members = [JSONMember(name: "access_token", value: .string(text))]
        if !self.behaviour.omitsExpiry {
            members.append(JSONMember(name: "expires_in", value: .integer(Int64(self.options.accessTokenLifetime))))
        }
        if let refreshToken { members.append(JSONMember(name: "refresh_token", value: .string(refreshToken))) }
        if let grantEnd {
            members.append(JSONMember(name: "refresh_token_expires_in", value: .integer(max(0, grantEnd - now))))
        }
        if let serverCode { members.append(JSONMember(name: "server_code", value: .string(serverCode))) }
        members.append(JSONMember(name: "scope", value: .string(access.scopes.joined(separator: " "))))
        members.append(JSONMember(name: "token_type", value: "Bearer"))
        if access.scopes.contains(ScopeCatalog.openID), let account = self.account(access.subject) {
            let idToken = try self.idToken(
                account,
                access,
                accessToken: text,
                nonce: nonce,
                authenticatedAt: authenticatedAt,
                at: now
            )
            members.append(JSONMember(name: "id_token", value: .string(idToken)))
        }
        return .json(.object(members))
    }

    /// Keeps a new refresh token.
    mutating func addRefreshToken(_ token: RefreshToken) -> String {
        let text = "1//" + self.randomText()
        self.refreshTokens[text] = token
        return text
    }
}

extension ProviderState {
    /// Signs an ID token with Google's claims.
    func idToken(
        _ account: LocalProviderAccount,
        _ access: AccessToken,
        accessToken: String,
        nonce: String?,
        authenticatedAt: Int64?,
        at now: Int64
    ) throws(TokenFailure) -> String {
        var claims = [
            JSONMember(name: "iss", value: .string(self.baseURL)),
            JSONMember(name: "azp", value: .string(access.clientID)),
            JSONMember(name: "aud", value: .string(access.audience ?? access.clientID)),
        ]
        claims += self.claims(of: account, scopes: access.scopes)
        if let hash = TokenHash.compute(of: accessToken, algorithm: self.options.signingAlgorithm) {
            claims.append(JSONMember(name: "at_hash", value: .string(hash)))
        }
        if let nonce { claims.append(JSONMember(name: "nonce", value: .string(nonce))) }
        if let authenticatedAt { claims.append(JSONMember(name: "auth_time", value: .integer(authenticatedAt))) }
        claims.append(JSONMember(name: "iat", value: .integer(now)))
        claims.append(JSONMember(name: "exp", value: .integer(access.deadline)))
        do {
            return try self.keys.current.sign(payload: JSONNode.object(claims).serialized(), type: "JWT")
        } catch {
            throw TokenFailure(
                code: "server_error",
                explanation: "The ID token could not be signed.",
                status: .internalServerError
            )
        }
    }

    /// What the scopes let a client know about the person: the same in ID tokens and at the userinfo endpoint.
    func claims(of account: LocalProviderAccount, scopes: [String]) -> [JSONMember] {
        var claims = [JSONMember(name: "sub", value: .string(account.subject))]
        if let domain = account.hostedDomain {
            claims.append(JSONMember(name: "hd", value: .string(domain)))
        }
        if scopes.contains(ScopeCatalog.email) {
            claims.append(JSONMember(name: "email", value: .string(account.email)))
            claims.append(JSONMember(name: "email_verified", value: .bool(account.isEmailVerified)))
        }
        if scopes.contains(ScopeCatalog.profile) {
            claims.append(JSONMember(name: "name", value: .string(account.name)))
            claims.append(JSONMember(name: "given_name", value: .string(account.givenName)))
            claims.append(JSONMember(name: "family_name", value: .string(account.familyName)))
            claims.append(JSONMember(name: "picture", value: .string(self.pictureURL(of: account))))
            claims.append(JSONMember(name: "locale", value: .string(account.locale)))
        }
        return claims
    }
}

/// An error answer of the token or revocation endpoint (RFC 6749, section 5.2).
struct TokenFailure: Error {
    var code: String
    var explanation: String
    var status: HTTPResponse.Status = .badRequest
    var challenge: String?
    /// `error_subtype`, as Google's have it.
    var subtype: String?
    var uri: String?

    var response: EndpointResponse {
        let members: [(String, String?)] = [
            ("error", self.code), ("error_description", self.explanation), ("error_subtype", self.subtype),
            ("error_uri", self.uri),
        ]
        var response = EndpointResponse.json(
            .object(members.compactMap { name, text in text.map { JSONMember(name: name, value: .string($0)) } }),
            status: self.status
        )
        response.headers[.wwwAuthenticate] = self.challenge
        return response
    }
}
#endif
