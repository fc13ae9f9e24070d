// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

extension ProviderState {
    static let assertionGrantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    /// The longest period for which an assertion can be valid, in seconds.
    private static let assertionLifetime: Int64 = 3600
    /// How far in the future an assertion can have been issued, in seconds.
    private static let clockSkew: Int64 = 300

    /// Exchanges a service account's assertion for an access token or an ID token (RFC 7523, section 2.1).
    mutating func assertionGrant(_ form: FormParameters) throws(TokenFailure) -> ProviderResponse {
        let (account, claims) = try self.verified(assertion: try Self.requiredValue("assertion", form))
        let audiences = [
            "https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v4/token",
            self.baseURL + "/token", self.baseURL + "/cloud/oauth2.googleapis.com/token",
        ]
        guard let audience = claims["aud"]?.string, audiences.contains(audience) else {
            throw Self.invalidGrant("Invalid JWT: the audience must be the URL of the token endpoint.")
        }
        if let audience = claims["target_audience"]?.string, !audience.isEmpty {
            let idToken = try self.idToken(of: account, for: audience, includingEmail: true)
            return .json(.members(["id_token": idToken]))
        }
        let scopes = (claims["scope"]?.string ?? "").split(separator: " ").map(String.init)
        guard !scopes.isEmpty else {
            throw TokenFailure("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
        }
        var subject = account.uniqueID
        if let hint = claims["sub"]?.string ?? claims["prn"]?.string, hint != account.email {
            guard let user = self.account(hint: hint) else { throw Self.invalidGrant("Invalid email or User ID") }
            guard account.delegatedScopes?.isSuperset(of: scopes) ?? true else {
                throw TokenFailure(
                    "unauthorized_client",
                    "Client is unauthorized to retrieve access tokens using this method, or client not authorized "
                        + "for any of the scopes requested.",
                    status: .unauthorized
                )
            }
            subject = user.subject
        }
        let token = self.issueToken(to: subject, by: account.uniqueID, scopes: scopes)
        return .json(
            .members([
                "access_token": token.text, "expires_in": self.behavior.omitsExpiry ? nil : token.deadline - self.now,
                "token_type": "Bearer",
            ])
        )
    }

    /// Returns the service account that signed an assertion, and the verified claims.
    private func verified(
        assertion text: String
    ) throws(TokenFailure) -> (account: LocalServiceAccount, claims: JSONValue) {
        guard let token = try? CompactJWS(parsing: text), let claims = try? token.claims() else {
            throw Self.invalidGrant("Bad Request: the assertion is not a signed JWT.")
        }
        guard let account = claims["iss"]?.string.flatMap({ self.cloud?.account($0) }), let key = account.key else {
            throw Self.invalidGrant("Invalid grant: account not found")
        }
        guard token.header.algorithm == .rs256, token.header.keyID ?? key.keyID == key.keyID,
            let publicKey = try? JWK(parsing: key.publicJWK.serialized()),
            (try? token.verify(with: publicKey)) != nil
        else { throw Self.invalidGrant("Invalid JWT Signature.") }
        guard let issued = try? claims["iat"]?.integer(Int64.self),
            let expiry = try? claims["exp"]?.integer(Int64.self),
            expiry > self.now, issued <= self.now + Self.clockSkew,
            expiry.subtractingReportingOverflow(issued).partialValue <= Self.assertionLifetime
        else {
            throw Self.invalidGrant(
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your "
                    + "iat and exp values in the JWT claim."
            )
        }
        return (account, claims)
    }

    /// Returns a JWT that a service account uses as its own access token, or `nil` if the text is not one.
    ///
    /// If the JWT names an audience instead of scopes, it is valid for any scope.
    ///
    /// - SeeAlso: [AIP-4111: Self-signed JWT](https://google.aip.dev/auth/4111)
    func selfSignedToken(_ text: String, for scopes: [String]) -> AccessToken? {
        guard self.cloud != nil, let (account, claims) = try? self.verified(assertion: text),
            claims["sub"]?.string == account.email
        else { return nil }
        let granted = claims["scope"]?.string.map { $0.split(separator: " ").map(String.init) }
        guard granted != nil || claims["aud"]?.string?.hasPrefix("https://") == true else { return nil }
        let authorization = Authorization(
            clientID: account.uniqueID,
            subject: account.uniqueID,
            scopes: granted ?? scopes,
            isOffline: false
        )
        return AccessToken(authorization: authorization, deadline: self.now + Self.assertionLifetime, family: -1)
    }
}
#endif
