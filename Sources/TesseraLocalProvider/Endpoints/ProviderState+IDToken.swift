// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

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
#endif
