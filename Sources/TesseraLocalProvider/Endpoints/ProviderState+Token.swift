// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

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

    private mutating func exchange(
        _ form: FormParameters,
        _ client: LocalProviderClient,
        at now: Int64
    ) throws(TokenFailure) -> EndpointResponse {
        let text = try Self.required("code", form)
        guard var code = self.codes.entry(text, at: now), code.clientID == client.id else {
            throw Self.invalidGrant("Malformed auth code.")
        }
        if let family = code.usedForFamily {
            self.revoke(family: family)
            throw Self.invalidGrant("The code was used before; what it gave is revoked.")
        }
        guard code.deadline > now else { throw Self.invalidGrant("The code has expired.") }
        guard form["redirect_uri"] == code.redirectURI else {
            throw Self.invalidGrant("The redirect URI is not the one of the authorization request.")
        }
        guard let verifier = form["code_verifier"] else { throw Self.invalidGrant("Missing code verifier.") }
        guard Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8)))) == code.codeChallenge else {
            self.codes.remove(text, at: now)
            throw Self.invalidGrant("Invalid code verifier.")
        }
        let family = self.nextFamily
        self.nextFamily += 1
        code.usedForFamily = family
        self.codes.set(text, code, until: now + 2 * Self.codeLifetime, at: now)
        var refreshToken: String?
        if code.isOffline {
            self.makeRoom(for: GrantKey(clientID: client.id, subject: code.subject))
            refreshToken = self.addRefreshToken(
                RefreshToken(
                    clientID: client.id,
                    subject: code.subject,
                    scopes: code.scopes,
                    authenticatedAt: code.authenticatedAt,
                    family: family
                )
            )
        }
        let access = AccessToken(
            clientID: client.id,
            subject: code.subject,
            scopes: code.scopes,
            isOffline: code.isOffline,
            deadline: self.deadline(at: now),
            family: family
        )
        return try self.answer(
            access,
            refreshToken: refreshToken,
            nonce: code.nonce,
            authenticatedAt: code.authenticatedAt,
            at: now
        )
    }

    private mutating func refresh(
        _ form: FormParameters,
        _ client: LocalProviderClient,
        at now: Int64
    ) throws(TokenFailure) -> EndpointResponse {
        let text = try Self.required("refresh_token", form)
        guard let token = self.refreshTokens[text], token.clientID == client.id else {
            throw Self.invalidGrant("Token has been expired or revoked.")
        }
        if token.isReplaced {
            self.revoke(family: token.family)
            throw Self.invalidGrant("The refresh token was replaced by a newer one; the session is revoked.")
        }
        let asked = form["scope"].map { $0.split(separator: " ").map { ScopeCatalog.canonical(String($0)) } }
        guard Set(asked ?? []).isSubset(of: token.scopes) else {
            throw TokenFailure(code: "invalid_scope", explanation: "The refresh asks for more than was granted.")
        }
        let access = AccessToken(
            clientID: client.id,
            subject: token.subject,
            scopes: asked ?? token.scopes,
            isOffline: true,
            deadline: self.deadline(at: now),
            family: token.family
        )
        var newToken: String?
        if self.options.rotateRefreshTokens {
            self.refreshTokens[text]?.isReplaced = true
            newToken = self.addRefreshToken(token)
        } else if self.behaviour.repeatsRefreshToken {
            newToken = text
        }
        return try self.answer(
            access,
            refreshToken: newToken,
            nonce: nil,
            authenticatedAt: token.authenticatedAt,
            at: now
        )
    }

    private func deadline(at now: Int64) -> Int64 {
        now.addingReportingOverflow(Int64(self.options.accessTokenLifetime)).partialValue
    }

    private mutating func addRefreshToken(_ token: RefreshToken) -> String {
        let text = "1//" + self.randomText()
        self.refreshTokens[text] = token
        return text
    }

    /// Beyond the limit the account's oldest session at the client ends silently, as at Google.
    private mutating func makeRoom(for grant: GrantKey) {
        let families = Set(self.refreshTokens.values.filter { GrantKey($0) == grant }.map(\.family))
        if families.count >= Self.refreshTokenLimit, let oldest = families.min() { self.revoke(family: oldest) }
    }

    private mutating func answer(
        _ access: AccessToken,
        refreshToken: String?,
        nonce: String?,
        authenticatedAt: Int64?,
        at now: Int64
    ) throws(TokenFailure) -> EndpointResponse {
        let text = "ya29.local." + self.randomText()
        self.accessTokens.set(text, access, until: access.deadline, at: now)
        var members = [JSONMember(name: "access_token", value: .string(text))]
        if !self.behaviour.omitsExpiry {
            members.append(JSONMember(name: "expires_in", value: .integer(Int64(self.options.accessTokenLifetime))))
        }
        if let refreshToken { members.append(JSONMember(name: "refresh_token", value: .string(refreshToken))) }
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

    private static func required(_ name: String, _ form: FormParameters) throws(TokenFailure) -> String {
        guard let value = form[name] else {
            throw TokenFailure(code: "invalid_request", explanation: "Missing required parameter: \(name)")
        }
        return value
    }

    private static func invalidGrant(_ explanation: String) -> TokenFailure {
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
        case .cutAnswer:
            return nil
        }
    }
}
#endif
