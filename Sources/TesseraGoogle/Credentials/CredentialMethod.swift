// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A kind of credentials, which knows how to make one token request and nothing else.
///
/// ``GoogleCredentials`` caches the tokens.
protocol CredentialMethod: Sendable {
    var kind: GoogleCredentialKind { get }
    /// Whether the tokens can be requested for scopes that the caller chooses.
    var acceptsScopes: Bool { get }

    /// Requests a new access token.
    func requestToken(_ scopes: [Scope], _ client: CredentialClient) async throws -> IssuedToken

    /// Requests an ID token for an audience.
    ///
    /// - Parameter token: Returns an access token of these credentials for other requests.
    func requestIDToken(_ request: IDTokenRequest, _ client: CredentialClient) async throws -> GoogleIDToken

    /// Signs bytes with RSASSA-PKCS1-v1_5 and SHA-256.
    func sign(_ bytes: [UInt8], _ client: CredentialClient) async throws -> GoogleSignature

    /// Signs claims as a JWT.
    func signJWT(_ claims: JSONNode, _ client: CredentialClient) async throws -> Secret

    /// Returns the email address of the service account, or nil for other kinds of credentials.
    func email(_ client: CredentialClient) async throws -> String?

    /// Returns the project that the credentials themselves name, or nil.
    func project(_ token: AccessTokenProvider, _ scopes: [Scope], _ client: CredentialClient) async throws -> String?

    /// Returns the universe of the credentials.
    func universe(_ client: CredentialClient) async throws -> String
}

/// A function that returns an access token of the credentials.
typealias AccessTokenProvider = @Sendable () async throws -> AccessToken

extension CredentialMethod {
    var acceptsScopes: Bool { true }

    func requestIDToken(_ request: IDTokenRequest, _ client: CredentialClient) async throws -> GoogleIDToken {
        throw self.unsupported("ID tokens for an audience", advice: "Impersonate a service account, which can.")
    }

    func sign(_ bytes: [UInt8], _ client: CredentialClient) async throws -> GoogleSignature {
        throw self.unsupported("signatures", advice: "Impersonate a service account, which can sign.")
    }

    func signJWT(_ claims: JSONNode, _ client: CredentialClient) async throws -> Secret {
        throw self.unsupported("signed JWTs", advice: "Impersonate a service account, which can sign.")
    }

    func email(_ client: CredentialClient) async throws -> String? { nil }

    func project(_ token: AccessTokenProvider, _ scopes: [Scope], _ client: CredentialClient) async throws -> String? {
        nil
    }

    func universe(_ client: CredentialClient) async throws -> String { client.trust.universeDomain }

    func unsupported(_ operation: String, advice: String) -> GoogleCredentialsError {
        GoogleCredentialsError(
            .unsupportedOperation,
            reason: "credentials of the kind \(self.kind.rawValue) do not support \(operation)",
            advice: advice
        )
    }
}

/// An access token that was just issued.
struct IssuedToken: Sendable {
    let secret: Secret
    /// The lifetime in seconds, or nil if it is unknown.
    let lifetime: Int64?

    init(_ secret: Secret, lifetime: Int64?) {
        self.secret = secret
        self.lifetime = lifetime
    }

    init(_ response: TokenResponse) { self.init(response.accessToken, lifetime: response.expiresIn) }
}

/// A request for an ID token.
struct IDTokenRequest: Sendable, Hashable {
    var audience: String
    /// Whether the token contains the email address of the service account.
    var includesEmail = false
    /// Whether the metadata server includes license codes.
    var includesLicenses = false
}

/// An ID token of a service account for an audience, such as the URL of a Cloud Run service.
///
/// The token was received directly from Google over TLS, and its signature was not verified. Receivers verify it with
/// `GoogleIDTokenVerifier`.
public struct GoogleIDToken: Sendable, Hashable {
    /// The token in compact form.
    public let secret: Secret
    /// The time at which the token expires (`exp`).
    public let expiresAt: Date

    /// Reads the expiration time of a token.
    init(_ token: Secret) throws {
        let claims = try token.withUnredacted { (text) throws(GoogleCredentialsError) -> JSONValue in
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let payload = Base64.decodeURLSafe(Array(parts[1].utf8)),
                let claims = try? JSONValue(parsing: payload), claims.kind == .object
            else { throw GoogleCredentialsError(.rejected, reason: "the server returned an ID token that is not a JWT") }
            return claims
        }
        guard let expiration = try? claims["exp"]?.integer(Int64.self) else {
            throw GoogleCredentialsError(.rejected, reason: "the server returned an ID token without exp")
        }
        self.secret = token
        self.expiresAt = Date(timeIntervalSince1970: Double(expiration))
    }
}

/// A signature of a service account.
public struct GoogleSignature: Sendable, Hashable {
    /// The ID of the key, or nil if it is unknown.
    public let keyID: String?
    /// The signature (RSASSA-PKCS1-v1_5 with SHA-256).
    public let bytes: [UInt8]
}

/// A kind of credentials.
public enum GoogleCredentialKind: String, Sendable, Hashable, CaseIterable {
    /// A user's refresh token, as written by gcloud.
    case authorizedUser = "authorized_user"
    /// A service account's private key.
    case serviceAccount = "service_account"
    /// A workload or a user of another identity provider.
    case externalAccount = "external_account"
    /// A signed-in user of a workforce pool.
    case externalAccountAuthorizedUser = "external_account_authorized_user"
    /// A service account that other credentials act as.
    case impersonatedServiceAccount = "impersonated_service_account"
    /// The service account of the machine.
    case metadataServer = "metadata_server"
    /// Other credentials with fewer permissions.
    case downscoped
    /// An API key.
    case apiKey = "api_key"
    /// No credentials, for public data and emulators.
    case anonymous
    /// A ready-made access token.
    case token
}
