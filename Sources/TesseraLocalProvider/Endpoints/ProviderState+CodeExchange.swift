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
#endif
