// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE

/// What an access token has to fit that is itself a signed token: for resource servers.
///
/// - SeeAlso: [RFC 9068, section 4](https://www.rfc-editor.org/rfc/rfc9068.html#section-4)
public struct AccessTokenPolicy: TokenPolicy {
    /// The authorization server.
    public var issuer: Issuer
    /// The names of this resource server, one of which has to be in `aud`.
    public var audiences: [String]
    /// Algorithms that a signature may use.
    public var algorithms: [JWSAlgorithm]
    /// How far the server's clock and ours may differ, in seconds; 60 by default.
    public var clockTolerance: Int

    /// A policy.
    public init(
        issuer: Issuer,
        audiences: [String],
        algorithms: [JWSAlgorithm] = [.rs256],
        clockTolerance: Int = 60
    ) {
        self.issuer = issuer
        self.audiences = audiences
        self.algorithms = algorithms
        self.clockTolerance = clockTolerance
    }

    /// Validates a token; who presents it and what it may be used for is yet to be checked.
    ///
    /// - Throws: as ``JWTPolicy/validate(_:keys:now:)``; ``AccessTokenError/init(_:)`` makes an answer of it.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws(ProtocolViolationError) -> JWTAccessToken {
        let common = JWTPolicy(
            name: "the access token",
            section: "RFC 9068, section 4",
            types: ["at+jwt"],
            requiresType: true,
            algorithms: self.algorithms,
            issuer: self.issuer,
            audiences: self.audiences,
            requiredClaims: ["exp", "sub", "client_id", "iat", "jti"],
            clockTolerance: self.clockTolerance
        )
        return try JWTAccessToken(try common.validate(token, keys: keys, now: now).claims)
    }
}
