// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// The way in which a service account's key is used to obtain access tokens.
public struct ServiceAccountTokens: Sendable, Hashable {
    let isSelfSigned: Bool
    let audience: String?

    /// Exchanges a signed assertion for an access token (RFC 7523), which all of Google's APIs accept.
    ///
    /// In universes other than `googleapis.com`, ``selfSigned`` is used instead.
    public static let exchanged = Self(isSelfSigned: false, audience: nil)
    /// Uses a JWT with the requested scopes that the key signs, without a request.
    ///
    /// - SeeAlso: [AIP-4111](https://google.aip.dev/auth/4111)
    public static let selfSigned = Self(isSelfSigned: true, audience: nil)
    /// Uses a JWT for one API that the key signs, without a request and without scopes.
    ///
    /// - Parameter audience: The API's address, such as `https://pubsub.googleapis.com/`.
    /// - Returns: The way of using the key.
    public static func selfSigned(audience: String) -> Self { Self(isSelfSigned: true, audience: audience) }
}

/// A service account's private key.
struct ServiceAccount: CredentialMethod {
    /// The lifetime of assertions and of self-signed tokens, in seconds.
    static let lifetime: Int64 = 3_600

    let email: String
    let key: JWSSigningKey
    let tokenEndpoint: Endpoint
    let projectID: String?
    let subject: String?
    let tokens: ServiceAccountTokens

    init(
        _ file: CredentialFile,
        subject: String?,
        tokens: ServiceAccountTokens = .exchanged,
        trust: EndpointTrust
    ) throws {
        try trust.check(universe: try file.string("universe_domain"), of: file.path)
        self.email = try file.required("client_email")
        self.key = try Self.key(file)
        self.tokenEndpoint = try trust.endpoint(try file.required("token_uri"), .tokenURI, of: file.path)
        self.projectID = try file.string("project_id")
        self.subject = subject
        self.tokens = tokens
    }

    private static func key(_ file: CredentialFile) throws(GoogleCredentialsError) -> JWSSigningKey {
        let pem = try file.required("private_key")
        guard var key = try? JWSSigningKey(pem: pem), key.algorithm == .rs256 else {
            throw file.invalid("private_key is not an unencrypted RSA key in PEM (PKCS #8 or PKCS #1)")
        }
        key.keyID = try file.string("private_key_id")
        return key
    }

    var kind: GoogleCredentialKind { .serviceAccount }

    func requestToken(_ scopes: [Scope], _ client: CredentialClient) async throws -> IssuedToken {
        let isDefault = client.trust.universeDomain == EndpointTrust.defaultUniverse
        guard self.subject == nil || isDefault else {
            throw GoogleCredentialsError(
                .unsupportedOperation,
                reason: "domain-wide delegation works only in the universe googleapis.com",
                advice: "Remove the subject."
            )
        }
        if self.subject == nil, self.tokens.isSelfSigned || !isDefault {
            return IssuedToken(try self.selfSigned(scopes, client), lifetime: Self.lifetime)
        }
        let request = TokenRequest.jwtBearer(
            assertion: try self.assertion(["scope": .string(try ScopeList.text(scopes))], client),
            identifiesClient: false,
            at: self.tokenEndpoint
        )
        return IssuedToken(try await client.token(request, at: self.tokenEndpoint))
    }

    /// Returns a token for the scopes, or for one API, that the key signs.
    private func selfSigned(_ scopes: [Scope], _ client: CredentialClient) throws -> Secret {
        let isForAudience = self.tokens.audience != nil
        guard isForAudience || !scopes.isEmpty else {
            throw GoogleCredentialsError(
                .invalidConfiguration,
                reason: "a self-signed token needs scopes or an audience",
                advice: "Pass the scopes of the API."
            )
        }
        let claims: KeyValuePairs<String, JSONNode?> = [
            "sub": .string(self.email), "aud": self.tokens.audience.map { .string($0) },
            "scope": isForAudience ? nil : .string(try ScopeList.text(scopes)),
        ]
        return try self.signed(JSONNode.object(present: claims).members ?? [], client)
    }

    /// Returns an assertion for Google's token endpoint.
    ///
    /// The audience is always Google's endpoint, even if the file names another one.
    private func assertion(_ claims: KeyValuePairs<String, JSONNode?>, _ client: CredentialClient) throws -> Secret {
        let common: KeyValuePairs<String, JSONNode?> = [
            "aud": .string(GoogleEndpoints.tokenEndpoint), "sub": self.subject.map { .string($0) },
        ]
        let members = [common, claims].flatMap { JSONNode.object(present: $0).members ?? [] }
        return try self.signed(members, client)
    }

    private func signed(_ members: [JSONMember], _ client: CredentialClient) throws -> Secret {
        let issuedAt = Int64(client.runtime.now().timeIntervalSince1970)
        let times: [JSONMember] = [
            JSONMember(name: "iss", value: .string(self.email)),
            JSONMember(name: "iat", value: .integer(issuedAt)),
            JSONMember(name: "exp", value: .integer(issuedAt + Self.lifetime)),
        ]
        return try self.signed(.object(times + members))
    }

    private func signed(_ claims: JSONNode) throws -> Secret {
        do {
            return Secret(try self.key.sign(payload: claims.serialized(), type: "JWT"))
        } catch {
            throw GoogleCredentialsError(.invalidFile, reason: "the private key of \(self.email) cannot sign")
        }
    }

    func requestIDToken(_ request: IDTokenRequest, _ client: CredentialClient) async throws -> IssuedIDToken {
        guard client.trust.universeDomain == EndpointTrust.defaultUniverse else {
            return try await self.idTokenFromIAM(request, client)
        }
        var form = FormParameters()
        let assertion = try self.assertion(["target_audience": .string(request.audience)], client)
        form.append("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
        form.append("assertion", assertion.withUnredacted { $0 })
        var message = ServiceRequest("id_token", server: "Google's token endpoint", url: self.tokenEndpoint)
        message.post(form)
        message.secrets = [assertion]
        let response = try await client.response(to: message)
        return try client.issued(try response.fields("the token response").requiredString("id_token"), in: response)
    }

    /// Requests an ID token from the IAM service, because other universes have no token endpoint.
    private func idTokenFromIAM(_ request: IDTokenRequest, _ client: CredentialClient) async throws
        -> IssuedIDToken
    {
        let claims: KeyValuePairs<String, JSONNode?> = [
            "sub": .string(self.email), "scope": .string(IAMService.scope.rawValue),
        ]
        let token = AccessToken(
            try self.signed(JSONNode.object(present: claims).members ?? [], client),
            expiresAt: nil
        )
        // google-auth sends these values as strings.
        let body: JSONNode = ["audience": .string(request.audience), "includeEmail": "true", "useEmailAzp": "true"]
        let response = try await IAMService(account: self.email)
            .send("generateIdToken", body, token: token, client)
        return try client.issued(try response.fields("the ID token response").requiredString("token"), in: response)
    }

    func sign(_ bytes: [UInt8], _ client: CredentialClient) async throws -> GoogleSignature {
        GoogleSignature(keyID: self.key.keyID, bytes: try self.key.signature(over: bytes))
    }

    func signJWT(_ claims: JSONNode, _ client: CredentialClient) async throws -> Secret { try self.signed(claims) }

    func email(_ client: CredentialClient) async throws -> String? { self.email }

    func project(_ token: CredentialToken, _ scopes: [Scope], _ client: CredentialClient) async throws -> String? {
        self.projectID
    }
}

extension ServiceAccount: CustomStringConvertible, CustomReflectable {
    /// A description without the key.
    var description: String { "service account \(UntrustedText.printable(self.email))" }
    var customMirror: Mirror { Mirror(self, children: ["email": self.email]) }
}
