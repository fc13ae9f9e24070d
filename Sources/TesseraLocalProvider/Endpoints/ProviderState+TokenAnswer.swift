// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJSON

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
#endif
