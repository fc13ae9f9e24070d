// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE

/// What an ID token has to fit; the one place that decides, for code flow and refresh alike.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
public struct IDTokenPolicy: Sendable {
    /// The provider.
    public var issuer: Issuer
    /// Other spellings of `iss` that the provider is known to use; declared by whoever knows the provider.
    public var issuerAliases: [String]
    /// Every spelling of `iss` that is this provider's.
    var issuerSpellings: [String] { [self.issuer.url] + self.issuerAliases }
    /// This client: `aud`, and `azp` where there is one.
    public var clientID: String
    /// Algorithms that a signature may use.
    public var algorithms: [JWSAlgorithm]
    /// What `nonce` has to be.
    public var nonce: NonceRule
    /// `max_age` of the request in seconds.
    public var maxAge: Int?
    /// Values of which `acr` has to be one, where authentication context was essential.
    public var essentialACRValues: [String]
    /// How far the provider's clock and ours may differ, in seconds; 300 by default.
    public var clockTolerance: Int
    /// How old `iat` may be, in seconds; one day by default.
    public var issuedAtLimit: Int
    /// The access token of the same answer, for `at_hash`.
    public var accessToken: Secret?
    /// The code of the same flow, for `c_hash`.
    public var code: Secret?

    /// What a nonce has to be.
    public enum NonceRule: Sendable {
        /// The one that was sent.
        case equal(Secret)
        /// None was sent, so none may be there.
        case absent
        /// In a refresh: none, or the one of the sign-in.
        case absentOrEqual(String?)
    }

    /// A policy.
    public init(
        issuer: Issuer,
        issuerAliases: [String] = [],
        clientID: String,
        algorithms: [JWSAlgorithm] = [.rs256],
        nonce: NonceRule,
        maxAge: Int? = nil,
        essentialACRValues: [String] = [],
        clockTolerance: Int = 300,
        issuedAtLimit: Int = 86_400,
        accessToken: Secret? = nil,
        code: Secret? = nil
    ) {
        self.issuer = issuer
        self.issuerAliases = issuerAliases
        self.clientID = clientID
        self.algorithms = algorithms
        self.nonce = nonce
        self.maxAge = maxAge
        self.essentialACRValues = essentialACRValues
        self.clockTolerance = clockTolerance
        self.issuedAtLimit = issuedAtLimit
        self.accessToken = accessToken
        self.code = code
    }

    /// Validates a token: signature first, then every claim.
    ///
    /// - Throws: `signingKey` when no key of the set fits, so that the caller may fetch the set once more; any other
    ///   `ProtocolViolation` for the rule that is broken.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws(ProtocolViolation) -> ValidatedIDToken {
        let jws = try token.withUnredacted { (text) throws(ProtocolViolation) in try CompactJWS(parsing: text) }
        try self.checkHeader(jws.header)
        try jws.verify(with: try Self.key(for: jws.header, in: keys))
        let claims = try IDTokenClaims(parsing: jws.payload)
        try self.checkParties(claims)
        try self.checkTimes(claims, now: now)
        try self.checkNonce(claims)
        try self.checkAuthentication(claims, now: now)
        try self.checkHashes(claims, algorithm: jws.header.algorithm)
        return ValidatedIDToken(token: token, claims: claims, issuerSpellings: self.issuerSpellings)
    }

    private static func key(for header: JWSHeader, in keys: JWKSet) throws(ProtocolViolation) -> JWK {
        let candidates = keys.candidates(for: header)
        guard let key = candidates.first else {
            throw ProtocolViolation(
                .signingKey,
                expected: "a key of the provider for \(header.algorithm.rawValue)",
                actual: header.keyID.map { "no such key of ID \"\($0)\"" } ?? "no such key",
                section: "OpenID Connect Core 1.0, section 10.1"
            )
        }
        guard candidates.count == 1 else {
            throw ProtocolViolation(
                .signingKey,
                expected: "exactly one fitting key",
                actual: "\(candidates.count)",
                section: "OpenID Connect Core 1.0, section 10.1"
            )
        }
        return key
    }
}
