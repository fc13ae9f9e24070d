// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
internal import TesseraJSON

/// A validated notification that a user has signed out at the provider, or that one of the user's sessions has ended.
///
/// This type has no public initializer. Only ``LogoutTokenPolicy`` creates instances.
///
/// - SeeAlso: [OpenID Connect Back-Channel Logout 1.0, section 2.4](https://openid.net/specs/openid-connect-backchannel-1_0.html#LogoutToken)
public struct LogoutToken: Sendable {
    /// The user who signed out (`sub`), or nil if the token identifies only a session.
    public let subject: String?
    /// The session that ended at the provider (`sid`), or nil if all of the user's sessions ended.
    public let sessionID: String?
    /// The identifier of the token (`jti`), which you can use to detect repeated deliveries.
    public let tokenID: String
    /// The time of issue (`iat`), in seconds since 1970.
    public let issuedAt: Double
    /// The expiration time (`exp`), in seconds since 1970.
    ///
    /// Remember ``tokenID`` until then.
    public let expiresAt: Double
    /// All claims in the token.
    public let claims: JWTClaims

    /// The member of `events` that identifies a logout token.
    public static let event = "http://schemas.openid.net/event/backchannel-logout"

    init(_ jwt: VerifiedJWT) throws {
        let (claims, fields) = (jwt.claims, jwt.claims.fields)
        func violation(_ expected: String, _ actual: String?) -> ProtocolViolationError {
            ProtocolViolationError(.logoutToken, expected: expected, actual: actual)
        }
        guard claims.document["events"]?[Self.event]?.kind == .object else {
            throw violation("events with the logout event", "none")
        }
        // Section 2.4 prohibits a nonce, so that a logout token and an ID token cannot be mistaken for each other.
        guard claims.document["nonce"] == nil else { throw violation("a logout token without a nonce", "a nonce") }
        self.subject = try fields.nonEmptyString("sub")
        self.sessionID = try fields.nonEmptyString("sid")
        guard self.subject != nil || self.sessionID != nil else { throw violation("sub or sid", "neither") }
        self.tokenID = try fields.requiredString("jti")
        guard let issuedAt = claims.issuedAt, let expiresAt = claims.expiresAt else {
            throw violation("iat and exp", "none")
        }
        (self.issuedAt, self.expiresAt) = (issuedAt, expiresAt)
        self.claims = claims
    }
}

/// The rules for validating a logout token, which a provider sends to a client when a user has signed out.
///
/// The policy does not detect repeated tokens. Remember each ``LogoutToken/tokenID`` until the token expires.
///
/// - SeeAlso: [OpenID Connect Back-Channel Logout 1.0, section 2.6](https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation)
public struct LogoutTokenPolicy: TokenPolicy {
    /// The provider that issues the token.
    public var issuer: Issuer
    /// Other values of `iss` that the provider is known to use.
    public var issuerAliases: [String]
    /// The client ID of this app, which must be in `aud`.
    public var clientID: String
    /// The accepted signature algorithms.
    public var algorithms: [JWSAlgorithm]
    /// The tolerated difference between the provider's clock and the local clock, in seconds.
    ///
    /// Defaults to 300.
    public var clockTolerance: Int

    static let section = "OpenID Connect Back-Channel Logout 1.0, section 2.4"

    /// Creates a policy.
    public init(
        issuer: Issuer,
        issuerAliases: [String] = [],
        clientID: String,
        algorithms: [JWSAlgorithm] = [.rs256],
        clockTolerance: Int = 300
    ) {
        self.issuer = issuer
        self.issuerAliases = issuerAliases
        self.clientID = clientID
        self.algorithms = algorithms
        self.clockTolerance = clockTolerance
    }

    /// Validates a logout token.
    ///
    /// - Throws: Any error that ``JWTPolicy/validate(_:keys:now:)`` throws, or `ProtocolViolationError` with
    ///   `logoutToken` if the claims are not those of a logout token.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws -> LogoutToken {
        let common = JWTPolicy(
            name: "the logout token",
            section: Self.section,
            // Section 2.4 recommends logout+jwt. With any other type, the token is recognized by its event and the
            // absence of a nonce.
            types: ["logout+jwt", "jwt"],
            algorithms: self.algorithms,
            issuer: self.issuer,
            issuerAliases: self.issuerAliases,
            audiences: [self.clientID],
            requiredClaims: ["iat", "exp", "jti", "events"],
            clockTolerance: self.clockTolerance
        )
        return try LogoutToken(try common.validate(token, keys: keys, now: now))
    }
}
