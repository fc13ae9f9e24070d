// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
internal import TesseraJSON

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
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws(ProtocolViolationError) -> LogoutToken {
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
