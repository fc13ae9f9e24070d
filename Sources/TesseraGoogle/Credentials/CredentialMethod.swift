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
    func requestIDToken(_ request: IDTokenRequest, _ client: CredentialClient) async throws -> IssuedIDToken

    /// Signs bytes with RSASSA-PKCS1-v1_5 and SHA-256.
    func sign(_ bytes: [UInt8], _ client: CredentialClient) async throws -> GoogleSignature

    /// Signs claims as a JWT.
    func signJWT(_ claims: JSONNode, _ client: CredentialClient) async throws -> Secret

    /// Returns the email address of the service account, or nil for other kinds of credentials.
    func email(_ client: CredentialClient) async throws -> String?

    /// Returns the project that the credentials themselves name, or nil.
    func project(_ token: CredentialToken, _ scopes: [Scope], _ client: CredentialClient) async throws -> String?

    /// Returns the universe of the credentials.
    func universe(_ client: CredentialClient) async throws -> String
}

/// The access token of credentials, for requests other than token requests.
struct CredentialToken: Sendable {
    /// Returns a valid access token.
    let accessToken: @Sendable () async throws -> AccessToken
    /// The project whose quota is charged, or nil.
    let quotaProject: String?
}

extension CredentialMethod {
    var acceptsScopes: Bool { true }

    func requestIDToken(_ request: IDTokenRequest, _ client: CredentialClient) async throws -> IssuedIDToken {
        throw self.unsupported("ID tokens for an audience", advice: "Impersonate a service account, which can.")
    }

    func sign(_ bytes: [UInt8], _ client: CredentialClient) async throws -> GoogleSignature {
        throw self.unsupported("signatures", advice: "Impersonate a service account, which can sign.")
    }

    func signJWT(_ claims: JSONNode, _ client: CredentialClient) async throws -> Secret {
        throw self.unsupported("signed JWTs", advice: "Impersonate a service account, which can sign.")
    }

    func email(_ client: CredentialClient) async throws -> String? { nil }

    func project(_ token: CredentialToken, _ scopes: [Scope], _ client: CredentialClient) async throws -> String? {
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
    /// The time from which the lifetime counts, in nanoseconds of the runtime's uptime, or nil for the beginning of the
    /// whole request.
    var begunAt: Int64?

    init(_ secret: Secret, lifetime: Int64?) {
        self.secret = secret
        self.lifetime = lifetime
    }

    /// Returns the token with a lifetime that counts from a time.
    func since(_ uptime: Int64) -> IssuedToken {
        var token = self
        token.begunAt = uptime
        return token
    }

    init(_ response: TokenResponse) { self.init(response.accessToken, lifetime: response.expiresIn) }
}
