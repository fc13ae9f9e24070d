// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A service account that other credentials act as.
struct ImpersonatedServiceAccount: CredentialMethod {
    let source: GoogleCredentials
    let email: String
    /// The accounts between the source and this one, or nil to send null, as google-auth does.
    let delegates: [String]?
    let lifetime: Int
    /// The user for domain-wide delegation.
    let subject: String?
    /// The URL of a file, which replaces the URL of the method.
    let url: Endpoint?

    var kind: GoogleCredentialKind { .impersonatedServiceAccount }

    private var service: IAMService { IAMService(account: self.email, quotaProject: self.source.quotaProject) }
    private var delegateNames: JSONNode { self.delegates.map { .array($0.map { .string($0) }) } ?? .null }

    func requestToken(_ scopes: [Scope], _ client: CredentialClient) async throws -> IssuedToken {
        if let subject = self.subject { return try await self.delegatedToken(subject, scopes, client) }
        let body: JSONNode = [
            "delegates": self.delegateNames,
            "scope": scopes.isEmpty ? .null : .array(scopes.map { .string($0.rawValue) }),
            "lifetime": .string("\(self.lifetime)s"),
        ]
        let response = try await self.withSourceToken { token in
            try await self.service.send("generateAccessToken", body, token: token, at: self.url, client)
        }
        let fields = try response.fields("the response of generateAccessToken")
        guard let expiration = UTCTime.date(try fields.requiredString("expireTime")) else {
            throw fields.violation("expireTime as a time in UTC (RFC 3339)", nil)
        }
        return IssuedToken(
            Secret(try fields.requiredString("accessToken")),
            lifetime: client.lifetime(until: expiration, response)
        )
    }

    /// Acts as a user of a Workspace organization, with an assertion that Google signs for the service account.
    private func delegatedToken(
        _ subject: String,
        _ scopes: [Scope],
        _ client: CredentialClient
    ) async throws -> IssuedToken {
        guard client.trust.universeDomain == EndpointTrust.defaultUniverse else {
            throw GoogleCredentialsError(
                .unsupportedOperation,
                reason: "domain-wide delegation works only in the universe googleapis.com",
                advice: "Remove the subject."
            )
        }
        let issuedAt = Int64(client.runtime.now().timeIntervalSince1970)
        let claims: JSONNode = [
            "iss": .string(self.email), "scope": .string(try ScopeList.text(scopes)), "sub": .string(subject),
            "aud": .string(GoogleEndpoints.tokenEndpoint), "iat": .integer(issuedAt),
            "exp": .integer(issuedAt + ServiceAccount.lifetime),
        ]
        let endpoint = try Endpoint(GoogleEndpoints.tokenEndpoint, name: "token_endpoint")
        let request = TokenRequest.jwtBearer(
            assertion: try await self.signJWT(claims, client),
            identifiesClient: false,
            at: endpoint
        )
        return IssuedToken(try await client.token(request, at: endpoint))
    }

    func requestIDToken(_ request: IDTokenRequest, _ client: CredentialClient) async throws -> IssuedIDToken {
        let body: JSONNode = [
            "audience": .string(request.audience), "delegates": self.delegateNames,
            "includeEmail": .bool(request.includesEmail),
        ]
        let response = try await self.withSourceToken { token in
            try await self.service.send("generateIdToken", body, token: token, client)
        }
        return try client.issued(try response.fields("the ID token response").requiredString("token"), in: response)
    }

    func sign(_ bytes: [UInt8], _ client: CredentialClient) async throws -> GoogleSignature {
        try await self.withSourceToken { token in
            try await self.service.sign(bytes, delegates: self.delegateNames, token: token, client)
        }
    }

    func signJWT(_ claims: JSONNode, _ client: CredentialClient) async throws -> Secret {
        try await self.withSourceToken { token in
            try await self.service.signJWT(claims, delegates: self.delegateNames, token: token, client)
        }
    }

    /// Runs a request with the source's token, and once more with a new token if the server rejects the first one.
    private func withSourceToken<Value: Sendable>(
        _ request: (AccessToken) async throws -> Value
    ) async throws -> Value {
        try await self.source.withToken(request)
    }

    func email(_ client: CredentialClient) async throws -> String? { self.email }

    func project(_ token: CredentialToken, _ scopes: [Scope], _ client: CredentialClient) async throws -> String? {
        // The project of an external account is requested with this account's token. Other sources name a project that
        // this account may not belong to.
        guard self.source.kind == .externalAccount else { return nil }
        return try await self.source.method.project(token, scopes, client)
    }
}
