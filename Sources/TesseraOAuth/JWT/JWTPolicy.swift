// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE

/// What every signed token of a provider has to fit: type, algorithm, key, signature, issuer, audience and times.
///
/// - SeeAlso: [RFC 7519, section 7.2](https://www.rfc-editor.org/rfc/rfc7519.html#section-7.2),
///   [RFC 8725, section 3](https://www.rfc-editor.org/rfc/rfc8725.html#section-3)
public struct JWTPolicy: TokenPolicy {
    /// What the token is called in errors, for example `the ID token`.
    public var name: String
    /// The section of the standard that the token's claims are checked by, for errors.
    public var section: String
    /// Values of `typ` that are taken, in lower case and without `application/`.
    public var types: [String]
    /// Whether a token without `typ` is refused.
    public var requiresType: Bool
    /// Algorithms that a signature may use.
    public var algorithms: [JWSAlgorithm]
    /// Who has to have made it: `iss`, always required.
    public var issuer: Issuer
    /// Other spellings of `iss` that the issuer is known to use; declared by whoever knows it.
    public var issuerAliases: [String]
    /// Whom it is for: one of these has to be in `aud`, which is always required.
    public var audiences: [String]
    /// Other claims that must be there; each that is there has to be of its type in any case.
    public var requiredClaims: [String]
    /// How far the issuer's clock and ours may differ, in seconds; 300 by default.
    public var clockTolerance: Int
    /// How old `iat` may be, in seconds; nil for any age.
    public var issuedAtLimit: Int?
    /// Turns an encrypted token into the signed one inside it; nil refuses encrypted tokens.
    public var decrypt: Decryption?

    /// The caller's decryption of tokens: a JWE in compact form goes in, the signed token that was encrypted comes out.
    ///
    /// Nothing is encrypted or decrypted here. The caller checks `alg` and `enc` of the header against what it has
    /// registered, and bounds what it inflates. What it throws becomes the violation `jweDecryption`, of which only the
    /// type is shown.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 10.2](https://openid.net/specs/openid-connect-core-1_0.html#Encryption)
    public typealias Decryption = @Sendable (_ encryptedToken: Secret) throws -> Secret

    /// A policy.
    ///
    /// Only `types` is taken for `typ`; without `requiresType` also a token that does not say.
    public init(
        name: String,
        section: String = "RFC 7519, section 4.1",
        types: [String] = ["jwt"],
        requiresType: Bool = false,
        algorithms: [JWSAlgorithm] = [.rs256],
        issuer: Issuer,
        issuerAliases: [String] = [],
        audiences: [String],
        requiredClaims: [String] = [],
        clockTolerance: Int = 300,
        issuedAtLimit: Int? = nil,
        decrypt: Decryption? = nil
    ) {
        self.name = name
        self.section = section
        self.types = types
        self.requiresType = requiresType
        self.algorithms = algorithms
        self.issuer = issuer
        self.issuerAliases = issuerAliases
        self.audiences = audiences
        self.requiredClaims = requiredClaims
        self.clockTolerance = clockTolerance
        self.issuedAtLimit = issuedAtLimit
        self.decrypt = decrypt
    }

    /// Validates a token: type and algorithm, signature, then issuer, audience, required claims and times; of an encrypted
    /// one the signed token inside it, which has to pass all the same.
    ///
    /// - Throws: `signingKey` when no key of the set fits; `jwsFormat`, `jwsAlgorithm`, `jwsSignature`, `jwtType`,
    ///   `jwtClaims`, `jwtIssuer`, `jwtAudience`, `jwtTime`; `jweUnsupported`, `jweDecryption`.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws -> VerifiedJWT {
        let (token, jws) = try self.signed(token)
        try self.checkHeader(jws.header)
        try jws.verify(with: try self.key(for: jws.header, in: keys))
        let claims = try JWTClaims(parsing: jws.payload, of: self.name)
        try self.checkParties(claims)
        for claim in self.requiredClaims where claims.fields.present(claim) == nil {
            throw claims.fields.violation("\(claim) in \(self.name)", "none")
        }
        try self.checkTimes(claims, now: now)
        return VerifiedJWT(token: token, header: jws.header, claims: claims)
    }
}

/// What one kind of signed token has to fit: the signature first, then every claim.
///
/// ``JWTPolicy`` has what is common to all of them; ``IDTokenPolicy`` and its like stand on it.
/// ``KeySetCache/validate(_:policy:)`` supplies the keys.
///
/// - SeeAlso: [RFC 8725, section 3](https://www.rfc-editor.org/rfc/rfc8725.html#section-3)
public protocol TokenPolicy<Token>: Sendable {
    /// What a token is, once it has passed.
    associatedtype Token: Sendable

    /// Validates a token with the keys of its issuer.
    ///
    /// - Throws: `signingKey` when no key of the set fits, so that the caller may fetch the set once more; any other
    ///   `ProtocolViolationError` for the rule that is broken.
    func validate(_ token: Secret, keys: JWKSet, now: Date) throws -> Token
}

/// A token whose signature, issuer, audience and times were checked.
///
/// There is no public initializer: only ``JWTPolicy`` makes one.
///
/// - SeeAlso: [RFC 7519, section 7.2](https://www.rfc-editor.org/rfc/rfc7519.html#section-7.2)
public struct VerifiedJWT: Sendable {
    /// The token itself.
    public let token: Secret
    /// Its header.
    public let header: JWSHeader
    /// Its claims.
    public let claims: JWTClaims
}
