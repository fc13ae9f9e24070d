// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

extension ProviderState {
    /// The userinfo endpoint (OpenID Connect Core 1.0, section 5.3).
    func userInformation(_ request: EndpointRequest, at now: Int64) -> EndpointResponse {
        guard request.method == .get || request.method == .post else { return .methodNotAllowed("GET, POST") }
        do throws(BearerRefusal) {
            let token = try self.bearer(request, anyOf: [ScopeCatalog.openID], at: now)
            guard let account = self.account(token.subject) else { throw .invalidToken }
            return .json(.object(self.claims(of: account, scopes: token.scopes)))
        } catch {
            let (code, explanation): (String, String) =
                switch error {
                case .noToken: ("invalid_request", "The request carries no access token.")
                case .invalidToken: ("invalid_token", "The access token is expired, revoked or malformed.")
                case .insufficientScope: ("insufficient_scope", "The access token was not granted openid.")
                }
            let status: HTTPResponse.Status = code == "insufficient_scope" ? .forbidden : .unauthorized
            return TokenFailure(
                code: code,
                explanation: explanation,
                status: status,
                challenge: self.challenge(error)
            )
            .response
        }
    }

    /// What is known about an access token, as at Google's `tokeninfo`: for debugging only.
    func tokenInformation(_ request: EndpointRequest, at now: Int64) -> EndpointResponse {
        guard request.method == .get || request.method == .post else { return .methodNotAllowed("GET, POST") }
        let text = request.method == .get ? Array(request.query.utf8) : request.body
        guard let parameters = try? FormParameters(decoding: text),
            let token = parameters["access_token"].flatMap({ self.accessTokens.entry($0, at: now) })
        else { return TokenFailure(code: "invalid_token", explanation: "Invalid Value").response }
        var members = [
            JSONMember(name: "azp", value: .string(token.clientID)),
            JSONMember(name: "aud", value: .string(token.clientID)),
            JSONMember(name: "sub", value: .string(token.subject)),
            JSONMember(name: "scope", value: .string(token.scopes.joined(separator: " "))),
            JSONMember(name: "exp", value: .string(String(token.deadline))),
            JSONMember(name: "expires_in", value: .string(String(token.deadline &- now))),
            JSONMember(name: "access_type", value: .string(token.isOffline ? "offline" : "online")),
        ]
        if token.scopes.contains(ScopeCatalog.email), let account = self.account(token.subject) {
            members.append(JSONMember(name: "email", value: .string(account.email)))
            members.append(JSONMember(name: "email_verified", value: .string(String(account.isEmailVerified))))
        }
        return .json(.object(members))
    }

    /// The revocation endpoint (RFC 7009): any token ends the account's whole grant at the client, as at Google.
    mutating func revocation(_ request: EndpointRequest, at now: Int64) -> EndpointResponse {
        do throws(TokenFailure) {
            let form = try Self.form(request)
            guard let text = form["token"] else {
                throw TokenFailure(code: "invalid_request", explanation: "Missing required parameter: token")
            }
            if let grant = self.refreshTokens[text].map(GrantKey.init) { self.revoke(grant) }
            if let grant = self.accessTokens.entry(text, at: now).map(GrantKey.init) { self.revoke(grant) }
            return .json([:])
        } catch {
            return error.response
        }
    }
}
#endif
