// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// A verifier for ID tokens that Google issues, for use on a server that receives them.
///
/// Create one verifier when the server starts and share it, because it caches Google's public keys. The keys are
/// fetched when the first token arrives and retained for an hour. A token with an unknown key causes another fetch, at
/// most once per minute. Concurrent callers share one fetch.
///
/// ```swift
/// let policy = try GoogleIDTokenPolicy.google(audiences: ["123.apps.googleusercontent.com"])
/// let verifier = GoogleIDTokenVerifier(policy, runtime: runtime)
/// ```
public final class GoogleIDTokenVerifier: Sendable {
    /// The rules that tokens must follow.
    public let policy: GoogleIDTokenPolicy
    private let keys: KeySetCache

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - policy: The rules, such as ``GoogleIDTokenPolicy/google(audiences:authorizedParties:hostedDomain:)``.
    ///   - runtime: The transport and the clocks. The transport fetches Google's public keys.
    public init(_ policy: GoogleIDTokenPolicy, runtime: OAuthRuntime) {
        self.policy = policy
        self.keys = KeySetCache(policy.keySetEndpoint, runtime: runtime)
    }

    /// Verifies a token's signature and then its claims.
    ///
    /// A valid token identifies the caller. It does not mean that the caller is permitted to make the call.
    ///
    /// - Parameter token: The compact form of the token, at most 64 KiB, without `Bearer`.
    /// - Returns: The verified token.
    /// - Throws: `ProtocolViolationError` if the token violates a rule of the ``policy``. Use
    ///   `AccessTokenError.init(_:)` to convert it to a response. If Google's keys could not be fetched,
    ///   `TransportError`, `HTTPStatusError`, `CancellationError`, or `ProtocolViolationError` with `jwkSetFormat`. No
    ///   error contains the token.
    public func verify(_ token: Secret) async throws -> GoogleIDToken {
        try await self.keys.validate(token, policy: self.policy)
    }
}

/// An ID token of Google with a verified signature and checked claims.
///
/// This type has no public initializer. Only ``GoogleIDTokenPolicy`` creates instances.
public struct GoogleIDToken: Sendable {
    /// All claims in the token.
    public let claims: IDTokenClaims

    /// The stable identifier of the user or service account (`sub`).
    ///
    /// Identity-Aware Proxy prefixes the identifier with its issuer, as in `accounts.google.com:1234`.
    public var subject: String { self.claims.subject }
    /// The email address of the user or service account (`email`), which is missing if it was not requested.
    ///
    /// Check ``emailVerified`` before you rely on it. Identity-Aware Proxy sends addresses without that claim.
    public var email: String? { self.claims.email }
    /// Whether the email address is verified (`email_verified`), or nil if the token does not contain the claim.
    public var emailVerified: Bool? { self.claims.emailVerified }
    /// The user's Google Workspace domain (`hd`), or nil for other accounts.
    public var hostedDomain: String? { self.claims.hostedDomain }
    /// The issuer (`iss`), in the spelling of the token.
    public var issuer: String { self.claims.issuer }
    /// The recipients of the token (`aud`), at least one of which is an audience of the policy.
    public var audience: [String] { self.claims.audience }
    /// The expiration time (`exp`), in seconds since 1970.
    public var expiresAt: Double { self.claims.expiresAt }

    init(_ claims: IDTokenClaims) { self.claims = claims }
}
