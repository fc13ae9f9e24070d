// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
internal import TesseraJSON

/// A provider's word that somebody has signed out there, or that one session of theirs has ended; checked.
///
/// There is no public initializer: only ``LogoutTokenPolicy`` makes one.
///
/// - SeeAlso: [OpenID Connect Back-Channel Logout 1.0, section 2.4](https://openid.net/specs/openid-connect-backchannel-1_0.html#LogoutToken)
public struct LogoutToken: Sendable {
    /// `sub`: who signed out; nil where only a session is named.
    public let subject: String?
    /// `sid`: the provider's session that ended; nil for all of the person's.
    public let sessionID: String?
    /// `jti`: the token's own name, by which a second delivery is found out.
    public let tokenID: String
    /// `iat`, seconds since 1970.
    public let issuedAt: Double
    /// `exp`, seconds since 1970: how long ``tokenID`` has to be remembered.
    public let expiresAt: Double
    /// All claims.
    public let claims: JWTClaims

    /// The member of `events` that makes a token a logout token.
    public static let event = "http://schemas.openid.net/event/backchannel-logout"

    init(_ jwt: VerifiedJWT) throws {
        let (claims, fields) = (jwt.claims, jwt.claims.fields)
        func violation(_ expected: String, _ actual: String?) -> ProtocolViolationError {
            ProtocolViolationError(.logoutToken, expected: expected, actual: actual)
        }
        guard claims.document["events"]?[Self.event]?.kind == .object else {
            throw violation("events with the logout event", "none")
        }
        // Section 2.4: with a nonce it could be taken for an ID token, and an ID token for it.
        guard claims.document["nonce"] == nil else { throw violation("a logout token without nonce", "one") }
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

/// What a logout token has to fit, by which a provider tells a client that somebody has signed out there.
///
/// Whether a token was seen before, by its ``LogoutToken/tokenID``, is the caller's to remember until it ends.
///
/// - SeeAlso: [OpenID Connect Back-Channel Logout 1.0, section 2.6](https://openid.net/specs/openid-connect-backchannel-1_0.html#Validation)
public struct LogoutTokenPolicy: TokenPolicy {
    /// The provider.
    public var issuer: Issuer
    /// Other spellings of `iss` that the provider is known to use.
    public var issuerAliases: [String]
    /// This client: `aud`.
    public var clientID: String
    /// Algorithms that a signature may use.
    public var algorithms: [JWSAlgorithm]
    /// How far the provider's clock and ours may differ, in seconds; 300 by default.
    public var clockTolerance: Int

    static let section = "OpenID Connect Back-Channel Logout 1.0, section 2.4"

    /// A policy.
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

    /// Validates a token.
    ///
    /// - Throws: as ``JWTPolicy/validate(_:keys:now:)``; `logoutToken` for what only a logout token has.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws -> LogoutToken {
        let common = JWTPolicy(
            name: "the logout token",
            section: Self.section,
            // Section 2.4 recommends the first. With another type the event and the missing nonce tell it from an ID token.
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
