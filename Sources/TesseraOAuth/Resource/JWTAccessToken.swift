// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
internal import TesseraJSON

/// An access token with a verified signature, issuer, audience and times.
///
/// Before you accept the token for a call, use ``confirm(_:keyThumbprint:certificateThumbprint:)`` and ``require(_:)``.
/// This type has no public initializer. Only ``AccessTokenPolicy`` creates instances.
///
/// - SeeAlso: [RFC 9068, section 2.2](https://www.rfc-editor.org/rfc/rfc9068.html#section-2.2)
public struct JWTAccessToken: Sendable {
    /// The user, or the client if it acts on its own behalf (`sub`).
    public let subject: String
    /// The client to which the token was issued (`client_id`).
    public let clientID: String
    /// The identifier of the token (`jti`).
    public let tokenID: String
    /// The expiration time (`exp`), in seconds since 1970.
    public let expiresAt: Double
    /// The scopes of the token (`scope`).
    public let scopes: [Scope]
    /// The key that the token's sender must prove possession of (`cnf`).
    public let confirmation: Confirmation?
    /// All claims in the token.
    public let claims: JWTClaims

    init(_ claims: JWTClaims) throws {
        let fields = claims.fields
        self.subject = try fields.requiredString("sub")
        self.clientID = try fields.requiredString("client_id")
        self.tokenID = try fields.requiredString("jti")
        self.expiresAt = claims.expiresAt ?? 0
        self.scopes = try fields.scopes("scope") ?? []
        self.confirmation = try Confirmation(fields)
        self.claims = claims
    }

    /// Checks that the token's sender has the key that the token is bound to.
    ///
    /// - Parameters:
    ///   - presented: The token from the call.
    ///   - keyThumbprint: The thumbprint of the key that signed the call's DPoP proof, or nil if there is no proof.
    ///     Verify the proof yourself before you call this method. The library does not verify proofs.
    ///   - certificateThumbprint: The thumbprint of the connection's client certificate (SHA-256 in base64url), or nil
    ///     if the client did not send a certificate.
    /// - Throws: ``AccessTokenError`` with `invalid_token` if the key is missing or different, or if a bound token is
    ///   presented as a bearer token.
    /// - SeeAlso: [RFC 9449, section 7.2](https://www.rfc-editor.org/rfc/rfc9449.html#section-7.2),
    ///   [RFC 8705, section 3](https://www.rfc-editor.org/rfc/rfc8705.html#section-3)
    public func confirm(
        _ presented: PresentedAccessToken,
        keyThumbprint: String? = nil,
        certificateThumbprint: String? = nil
    ) throws(AccessTokenError) {
        try Confirmation.check(self.confirmation, presented, keyThumbprint, certificateThumbprint)
    }

    /// Checks that the token has all of the given scopes.
    ///
    /// - Throws: ``AccessTokenError`` with `insufficient_scope` and the scopes.
    public func require(_ scopes: [Scope]) throws(AccessTokenError) {
        try AccessTokenError.require(scopes, of: self.scopes)
    }
}

/// A resource server's rules for validating access tokens that are signed JWTs.
///
/// - SeeAlso: [RFC 9068, section 4](https://www.rfc-editor.org/rfc/rfc9068.html#section-4)
public struct AccessTokenPolicy: TokenPolicy {
    /// The authorization server that issues the token.
    public var issuer: Issuer
    /// The identifiers of this resource server, at least one of which must be in `aud`.
    public var audiences: [String]
    /// The accepted signature algorithms.
    public var algorithms: [JWSAlgorithm]
    /// The tolerated difference between the server's clock and the local clock, in seconds.
    ///
    /// Defaults to 60.
    public var clockTolerance: Int

    /// Creates a policy.
    public init(issuer: Issuer, audiences: [String], algorithms: [JWSAlgorithm] = [.rs256], clockTolerance: Int = 60) {
        self.issuer = issuer
        self.audiences = audiences
        self.algorithms = algorithms
        self.clockTolerance = clockTolerance
    }

    /// Validates a token, except for its key binding and scopes.
    ///
    /// - Throws: Any error that ``JWTPolicy/validate(_:keys:now:)`` throws. Use ``AccessTokenError/init(_:)`` to
    ///   convert a `ProtocolViolationError` to a response.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws -> JWTAccessToken {
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

/// The key that a token is bound to, which the sender must prove possession of.
///
/// - SeeAlso: [RFC 7800, section 3](https://www.rfc-editor.org/rfc/rfc7800.html#section-3)
public struct Confirmation: Sendable, Hashable {
    /// The thumbprint of a DPoP key (`jkt`).
    ///
    /// - SeeAlso: [RFC 9449, section 6](https://www.rfc-editor.org/rfc/rfc9449.html#section-6)
    public let keyThumbprint: String?
    /// The SHA-256 thumbprint of a certificate (`x5t#S256`).
    ///
    /// - SeeAlso: [RFC 8705, section 3.1](https://www.rfc-editor.org/rfc/rfc8705.html#section-3.1)
    public let certificateThumbprint: String?
    /// Whether the token is bound by a method that this library does not support.
    public let hasOtherMethods: Bool

    /// Reads `cnf`, or returns nil if it is missing.
    init?(_ fields: JSONFields) throws {
        guard let value = fields.present("cnf") else { return nil }
        let confirmation = try fields.child("cnf", value)
        self.keyThumbprint = try confirmation.nonEmptyString("jkt")
        self.certificateThumbprint = try confirmation.nonEmptyString("x5t#S256")
        let known = [self.keyThumbprint, self.certificateThumbprint].count { $0 != nil }
        // A confirmation without any method cannot be satisfied.
        self.hasOtherMethods = known == 0 || (value.members?.count ?? 0) > known
    }

    /// Checks that the sender of a token has the key that the token is bound to, if it is bound to one.
    static func check(
        _ confirmation: Confirmation?,
        _ presented: PresentedAccessToken,
        _ keyThumbprint: String?,
        _ certificateThumbprint: String?
    ) throws(AccessTokenError) {
        func fits(_ expected: String?, _ actual: String?) -> Bool {
            guard let expected else { return true }
            return actual.map { ConstantTime.equal($0, expected) } ?? false
        }
        guard confirmation?.hasOtherMethods != true else {
            throw AccessTokenError.invalidToken("The token is bound by a method that is not supported.")
        }
        guard (presented.type == .dpop) == (confirmation?.keyThumbprint != nil),
            fits(confirmation?.keyThumbprint, keyThumbprint)
        else {
            throw AccessTokenError.invalidToken("The token's DPoP binding does not match the call.")
        }
        guard fits(confirmation?.certificateThumbprint, certificateThumbprint) else {
            throw AccessTokenError.invalidToken("The token is bound to another certificate.")
        }
    }
}
