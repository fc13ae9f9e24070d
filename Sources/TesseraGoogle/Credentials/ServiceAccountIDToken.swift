// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraJSON
public import TesseraOAuth
internal import TesseraSupport

/// A request for an ID token.
struct IDTokenRequest: Sendable, Hashable {
    let audience: String
    /// Whether the token contains the email address of the service account.
    let includesEmail: Bool
    /// Whether the metadata server includes license codes.
    let includesLicenses: Bool

    /// - Throws: ``GoogleCredentialsError`` with `invalidConfiguration` if the audience is empty.
    init(audience: String, includesEmail: Bool, includesLicenses: Bool = false) throws(GoogleCredentialsError) {
        guard !audience.isEmpty else {
            throw GoogleCredentialsError(.invalidConfiguration, reason: "the audience of an ID token must not be empty")
        }
        self.audience = audience
        self.includesEmail = includesEmail
        self.includesLicenses = includesLicenses
    }
}

/// An ID token of a service account for an audience, such as the URL of a Cloud Run service.
///
/// The token was received directly from Google over TLS, and its signature was not verified. Receivers verify it with
/// `GoogleIDTokenVerifier`.
public struct ServiceAccountIDToken: Sendable, Hashable {
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
            else {
                throw GoogleCredentialsError(.rejected, reason: "the server returned an ID token that is not a JWT")
            }
            return claims
        }
        guard let expiration = try? claims["exp"]?.integer(Int64.self) else {
            throw GoogleCredentialsError(.rejected, reason: "the server returned an ID token without exp")
        }
        self.secret = token
        self.expiresAt = Date(timeIntervalSince1970: Double(expiration))
    }
}

/// An ID token and its remaining lifetime in seconds, by the clock of the server.
struct IssuedIDToken: Sendable {
    let token: ServiceAccountIDToken
    let lifetime: Int64
}

/// A signature of a service account.
public struct GoogleSignature: Sendable, Hashable {
    /// The ID of the key, or nil if it is unknown.
    public let keyID: String?
    /// The signature (RSASSA-PKCS1-v1_5 with SHA-256).
    public let bytes: [UInt8]
}
