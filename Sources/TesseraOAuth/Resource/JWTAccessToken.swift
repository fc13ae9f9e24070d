// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
internal import TesseraJSON

/// An access token whose signature, issuer, audience and times were checked.
///
/// Before it counts: ``confirm(_:keyThumbprint:certificateThumbprint:)``, and ``require(_:)`` for what the call needs.
/// There is no public initializer: only ``AccessTokenPolicy`` makes one.
///
/// - SeeAlso: [RFC 9068, section 2.2](https://www.rfc-editor.org/rfc/rfc9068.html#section-2.2)
public struct JWTAccessToken: Sendable {
    /// `sub`: the person, or the client where it acts for itself.
    public let subject: String
    /// `client_id`: who got the token.
    public let clientID: String
    /// `jti`.
    public let tokenID: String
    /// `exp`, seconds since 1970.
    public let expiresAt: Double
    /// `scope`.
    public let scopes: [Scope]
    /// `cnf`: the key that whoever presents the token has to have.
    public let confirmation: Confirmation?
    /// All claims.
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

    /// Checks that whoever presented the token has the key that it is bound to.
    ///
    /// - Parameters:
    ///   - presented: the token as it came.
    ///   - keyThumbprint: of the key that signed the call's DPoP proof, which the caller has checked; nil without one.
    ///   - certificateThumbprint: of the certificate that the connection was made with (SHA-256, base64url); nil without
    ///     one.
    /// - Throws: `invalid_token` for another key or none, and for a bound token that comes as if it were not.
    /// - SeeAlso: [RFC 9449, section 7.2](https://www.rfc-editor.org/rfc/rfc9449.html#section-7.2),
    ///   [RFC 8705, section 3](https://www.rfc-editor.org/rfc/rfc8705.html#section-3)
    public func confirm(
        _ presented: PresentedAccessToken,
        keyThumbprint: String? = nil,
        certificateThumbprint: String? = nil
    ) throws(AccessTokenError) {
        let confirmation = self.confirmation
        func fits(_ expected: String?, _ actual: String?) -> Bool {
            guard let expected else { return true }
            return actual.map { ConstantTime.equal($0, expected) } ?? false
        }
        guard confirmation?.hasOtherMethods != true else {
            throw AccessTokenError.invalidToken("The token is bound in a way that is not known here.")
        }
        guard (presented.type == .dpop) == (confirmation?.keyThumbprint != nil),
            fits(confirmation?.keyThumbprint, keyThumbprint)
        else {
            throw AccessTokenError.invalidToken("The token is bound to another DPoP key, or presented otherwise.")
        }
        guard fits(confirmation?.certificateThumbprint, certificateThumbprint) else {
            throw AccessTokenError.invalidToken("The token is bound to another certificate.")
        }
    }

    /// Checks that the token was given for all of these scopes.
    ///
    /// - Throws: `insufficient_scope`, with the scopes.
    public func require(_ scopes: [Scope]) throws(AccessTokenError) {
        guard scopes.allSatisfy(self.scopes.contains) else { throw AccessTokenError.insufficientScope(scopes) }
    }
}

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
    public init(issuer: Issuer, audiences: [String], algorithms: [JWSAlgorithm] = [.rs256], clockTolerance: Int = 60) {
        self.issuer = issuer
        self.audiences = audiences
        self.algorithms = algorithms
        self.clockTolerance = clockTolerance
    }

    /// Validates a token; who presents it and what it may be used for is yet to be checked.
    ///
    /// - Throws: as ``JWTPolicy/validate(_:keys:now:)``; ``AccessTokenError/init(_:)`` makes an answer of it.
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

/// The key that a token is bound to: whoever presents the token has to have it.
///
/// - SeeAlso: [RFC 7800, section 3](https://www.rfc-editor.org/rfc/rfc7800.html#section-3)
public struct Confirmation: Sendable, Hashable {
    /// `jkt`: the thumbprint of a DPoP key.
    ///
    /// - SeeAlso: [RFC 9449, section 6](https://www.rfc-editor.org/rfc/rfc9449.html#section-6)
    public let keyThumbprint: String?
    /// `x5t#S256`: the thumbprint of a certificate.
    ///
    /// - SeeAlso: [RFC 8705, section 3.1](https://www.rfc-editor.org/rfc/rfc8705.html#section-3.1)
    public let certificateThumbprint: String?
    /// Whether the token is bound in a way that this library does not know.
    public let hasOtherMethods: Bool

    /// Reads `cnf`; nil where there is none.
    init?(_ fields: JSONFields) throws {
        guard let value = fields.present("cnf") else { return nil }
        let confirmation = try fields.child("cnf", value)
        self.keyThumbprint = try confirmation.nonEmptyString("jkt")
        self.certificateThumbprint = try confirmation.nonEmptyString("x5t#S256")
        let known = [self.keyThumbprint, self.certificateThumbprint].count { $0 != nil }
        self.hasOtherMethods = (value.members?.count ?? 0) > known
    }
}
