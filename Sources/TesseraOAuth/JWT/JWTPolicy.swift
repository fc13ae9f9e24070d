// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE

/// The rules for any signed token from a provider, which cover its type, algorithm, key, signature, issuer, audience
/// and times.
///
/// - SeeAlso: [RFC 7519, section 7.2](https://www.rfc-editor.org/rfc/rfc7519.html#section-7.2),
///   [RFC 8725, section 3](https://www.rfc-editor.org/rfc/rfc8725.html#section-3)
public struct JWTPolicy: TokenPolicy {
    /// The name for the token in errors, for example `the ID token`.
    public var name: String
    /// The section of the standard that defines the token's claims, for errors.
    public var section: String
    /// The accepted values of `typ`, in lowercase and without `application/`.
    public var types: [String]
    /// Whether a token without `typ` is rejected.
    public var requiresType: Bool
    /// The accepted signature algorithms.
    public var algorithms: [JWSAlgorithm]
    /// The expected issuer.
    ///
    /// The `iss` claim is always required.
    public var issuer: Issuer
    /// Other values of `iss` that the issuer is known to use.
    public var issuerAliases: [String]
    /// The accepted audiences.
    ///
    /// The `aud` claim is always required and must include at least one of them.
    public var audiences: [String]
    /// Other claims that must be present.
    ///
    /// Registered claims must have the correct type even if they are not listed here.
    public var requiredClaims: [String]
    /// The tolerated difference between the issuer's clock and the local clock, in seconds.
    ///
    /// Defaults to 300.
    public var clockTolerance: Int
    /// The maximum age of `iat`, in seconds, or nil to accept any age.
    public var issuedAtLimit: Int?
    /// The function that decrypts an encrypted token, or nil to reject encrypted tokens.
    public var decrypt: Decryption?

    /// A function that decrypts a JWE in compact form and returns the signed token inside it.
    ///
    /// The library does not decrypt tokens itself. The function must check the header's `alg` and `enc` against the
    /// registered values and limit the size of decompressed data. If it throws an error, the policy throws
    /// `ProtocolViolationError` with `jweDecryption`, which contains only the type of that error.
    ///
    /// - SeeAlso: [OpenID Connect Core 1.0, section 10.2](https://openid.net/specs/openid-connect-core-1_0.html#Encryption)
    public typealias Decryption = @Sendable (_ encryptedToken: Secret) throws -> Secret

    /// Creates a policy.
    ///
    /// By default, `typ` must be `jwt` or missing.
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

    /// Validates a token.
    ///
    /// The type, algorithm and signature are checked first, then the issuer, audience, required claims and times. An
    /// encrypted token is decrypted, and the signed token inside it must pass the same checks.
    ///
    /// - Throws: `ProtocolViolationError` with `signingKey` if the set does not contain a matching key, or with another
    ///   rule if the token violates it: `jwsFormat`, `jwsAlgorithm`, `jwsSignature`, `jwtType`, `jwtClaims`,
    ///   `jwtIssuer`, `jwtAudience`, `jwtTime`, `jweUnsupported` or `jweDecryption`.
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

/// The rules for validating one kind of signed token.
///
/// A policy verifies the signature before it reads any claim. ``JWTPolicy`` contains the rules that all kinds of tokens
/// share, and other policies, such as ``IDTokenPolicy``, build on it. ``KeySetCache/validate(_:policy:)`` supplies the
/// keys.
///
/// - SeeAlso: [RFC 8725, section 3](https://www.rfc-editor.org/rfc/rfc8725.html#section-3)
public protocol TokenPolicy<Token>: Sendable {
    /// The type of a validated token.
    associatedtype Token: Sendable

    /// Validates a token with its issuer's keys.
    ///
    /// - Throws: `ProtocolViolationError` with `signingKey` if the set does not contain a matching key, so that the
    ///   caller can fetch the set again, or with another rule if the token violates it.
    func validate(_ token: Secret, keys: JWKSet, now: Date) throws -> Token
}

/// A token with a verified signature, issuer, audience and times.
///
/// This type has no public initializer. Only ``JWTPolicy`` creates instances.
///
/// - SeeAlso: [RFC 7519, section 7.2](https://www.rfc-editor.org/rfc/rfc7519.html#section-7.2)
public struct VerifiedJWT: Sendable {
    /// The signed token.
    public let token: Secret
    /// The header of the token.
    public let header: JWSHeader
    /// The claims of the token.
    public let claims: JWTClaims
}
