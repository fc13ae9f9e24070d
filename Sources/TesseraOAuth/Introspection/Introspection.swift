// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
public import TesseraJSON

/// What an authorization server knows about a token.
///
/// - SeeAlso: [RFC 7662, section 2.2](https://www.rfc-editor.org/rfc/rfc7662.html#section-2.2)
public struct Introspection: Sendable, Hashable {
    /// `active`: whether the token counts now; where it does not, nothing else is to be believed.
    public let isActive: Bool
    /// `scope`.
    public let scopes: [Scope]
    /// `client_id`: who got the token.
    public let clientID: String?
    /// `username`: for people to read.
    public let username: String?
    /// `token_type`.
    public let tokenType: String?
    /// `exp`, seconds since 1970.
    public let expiresAt: Double?
    /// `iat`, seconds since 1970.
    public let issuedAt: Double?
    /// `nbf`, seconds since 1970.
    public let notBefore: Double?
    /// `sub`.
    public let subject: String?
    /// `aud`, as a list.
    public let audience: [String]
    /// `iss`.
    public let issuer: String?
    /// `jti`.
    public let tokenID: String?
    /// `cnf`: the key that whoever presents the token has to have.
    public let confirmation: Confirmation?
    /// The whole answer.
    public let document: JSONValue

    init(_ fields: JSONFields) throws {
        guard let isActive = try fields.bool("active") else { throw fields.violation("active", "none") }
        self.isActive = isActive
        self.scopes = try fields.scopes("scope") ?? []
        self.clientID = try fields.string("client_id")
        self.username = try fields.string("username")
        self.tokenType = try fields.string("token_type")
        self.expiresAt = try fields.time("exp")
        self.issuedAt = try fields.time("iat")
        self.notBefore = try fields.time("nbf")
        self.subject = try fields.string("sub")
        self.audience = try fields.stringOrStrings("aud") ?? []
        self.issuer = try fields.string("iss")
        self.tokenID = try fields.string("jti")
        self.confirmation = try Confirmation(fields)
        self.document = fields.object
    }

    /// Two introspections are equal when their documents are.
    public static func == (left: Self, right: Self) -> Bool { left.document == right.document }
    /// Hashes whether it is active, and the subject.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.isActive)
        hasher.combine(self.subject)
    }
}

/// What a signed introspection has to fit.
///
/// - SeeAlso: [RFC 9701, section 5](https://www.rfc-editor.org/rfc/rfc9701.html#section-5)
public struct IntrospectionPolicy: TokenPolicy {
    /// The authorization server.
    public var issuer: Issuer
    /// The resource server that asked: `aud`.
    public var clientID: String
    /// Algorithms that a signature may use.
    public var algorithms: [JWSAlgorithm]
    /// How old `iat` may be, in seconds, beyond a clock difference of 5 minutes; 60 by default.
    ///
    /// A response that was recorded earlier may be about a token that is no longer active. Nil accepts any age, for a response
    /// that was stored as a proof.
    public var issuedAtLimit: Int?

    /// A policy.
    public init(issuer: Issuer, clientID: String, algorithms: [JWSAlgorithm] = [.rs256], issuedAtLimit: Int? = 60) {
        self.issuer = issuer
        self.clientID = clientID
        self.algorithms = algorithms
        self.issuedAtLimit = issuedAtLimit
    }

    /// Validates a signed introspection.
    ///
    /// - Throws: as ``JWTPolicy/validate(_:keys:now:)``; `introspectionFormat`.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws -> Introspection {
        let section = "RFC 9701, section 5"
        let common = JWTPolicy(
            name: "the signed introspection",
            section: section,
            types: ["token-introspection+jwt"],
            requiresType: true,
            algorithms: self.algorithms,
            issuer: self.issuer,
            audiences: [self.clientID],
            requiredClaims: ["iat", "token_introspection"],
            issuedAtLimit: self.issuedAtLimit
        )
        let claims = try common.validate(token, keys: keys, now: now).claims
        guard let introspection = claims.document["token_introspection"] else {
            throw claims.fields.violation("token_introspection in the signed introspection", "none")
        }
        let subject = "token_introspection"
        return try Introspection(
            try JSONFields(introspection, rule: .introspectionFormat, section: section, subject: subject)
        )
    }
}
