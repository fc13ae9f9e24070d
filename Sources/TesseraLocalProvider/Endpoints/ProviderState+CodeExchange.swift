// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import TesseraJOSE

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
            family: family
        )
        return try self.answer(
            access,
            refreshToken: refreshToken,
            grantEnd: code.isOffline ? end : nil,
            nonce: code.nonce,
            authenticatedAt: code.authenticatedAt,
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

    /// Beyond the limit the account's oldest session at the client ends silently, as at Google.
    private mutating func makeRoom(for grant: GrantKey) {
        let families = Set(self.refreshTokens.values.filter { GrantKey($0) == grant }.map(\.family))
        if families.count >= self.behaviour.signInLimit, let oldest = families.min() { self.revoke(family: oldest) }
    }
}
#endif
