// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
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
#endif
