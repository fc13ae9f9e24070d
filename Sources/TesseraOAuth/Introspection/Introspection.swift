// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
public import TesseraJSON

/// A token's state and properties, as reported by the authorization server.
///
/// Before you serve a call, check the token with ``requireActive(for:)``,
/// ``confirm(_:keyThumbprint:certificateThumbprint:)`` and ``require(_:)``.
///
/// - SeeAlso: [RFC 7662, section 2.2](https://www.rfc-editor.org/rfc/rfc7662.html#section-2.2)
public struct Introspection: Sendable, Hashable {
    /// Whether the token is currently active (`active`).
    ///
    /// If it is not, ignore the other properties.
    public let isActive: Bool
    /// The scopes of the token (`scope`).
    public let scopes: [Scope]
    /// The client to which the token was issued (`client_id`).
    public let clientID: String?
    /// A human-readable identifier of the user (`username`).
    public let username: String?
    /// The type of the token (`token_type`).
    public let tokenType: String?
    /// The expiration time (`exp`), in seconds since 1970.
    public let expiresAt: Double?
    /// The time of issue (`iat`), in seconds since 1970.
    public let issuedAt: Double?
    /// The time before which the token is not valid (`nbf`), in seconds since 1970.
    public let notBefore: Double?
    /// The subject of the token (`sub`), usually the user.
    public let subject: String?
    /// The recipients of the token (`aud`), which is an array even if the server sent a single string.
    public let audience: [String]
    /// The issuer of the token (`iss`).
    public let issuer: String?
    /// The identifier of the token (`jti`).
    public let tokenID: String?
    /// The key that the token's sender must prove possession of (`cnf`).
    public let confirmation: Confirmation?
    /// The whole response, including members that have no property.
    public let document: JSONValue

    init(_ fields: JSONFields) throws {
        guard let isActive = try fields.bool("active") else { throw fields.violation("an active member", "none") }
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

    /// Checks that the token is active and was issued for this API.
    ///
    /// - Parameter audiences: The identifiers of this API, at least one of which must be in `aud`.
    /// - Throws: ``AccessTokenError`` with `invalid_token`.
    public func requireActive(for audiences: [String]) throws(AccessTokenError) {
        guard self.isActive else { throw AccessTokenError.invalidToken("The token is not active.") }
        guard self.audience.contains(where: { audience in audiences.contains(where: audience.isExactly) }) else {
            throw AccessTokenError.invalidToken("The token was issued for another API.")
        }
    }

    /// Checks that the token's sender has the key that the token is bound to.
    ///
    /// See ``JWTAccessToken/confirm(_:keyThumbprint:certificateThumbprint:)``.
    ///
    /// - Throws: ``AccessTokenError`` with `invalid_token`.
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

    /// Returns whether two introspections have equal documents.
    public static func == (left: Self, right: Self) -> Bool { left.document == right.document }
    /// Hashes the active state and the subject.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.isActive)
        hasher.combine(self.subject)
    }
}

/// The rules for validating a signed introspection response.
///
/// - SeeAlso: [RFC 9701, section 5](https://www.rfc-editor.org/rfc/rfc9701.html#section-5)
public struct IntrospectionPolicy: TokenPolicy {
    /// The authorization server that signs the response.
    public var issuer: Issuer
    /// The client ID of the resource server, which must be in `aud`.
    public var clientID: String
    /// The accepted signature algorithms.
    public var algorithms: [JWSAlgorithm]
    /// The maximum age of `iat`, in seconds, with a tolerance of 5 minutes for clock differences.
    ///
    /// Defaults to 60.
    ///
    /// The token that an older response describes may no longer be active. Use nil to accept any age, for example for a
    /// response that was stored as evidence.
    public var issuedAtLimit: Int?

    /// Creates a policy.
    public init(issuer: Issuer, clientID: String, algorithms: [JWSAlgorithm] = [.rs256], issuedAtLimit: Int? = 60) {
        self.issuer = issuer
        self.clientID = clientID
        self.algorithms = algorithms
        self.issuedAtLimit = issuedAtLimit
    }

    /// Validates a signed introspection response.
    ///
    /// - Throws: Any error that ``JWTPolicy/validate(_:keys:now:)`` throws, or `ProtocolViolationError` with
    ///   `introspectionFormat`.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws -> Introspection {
        let section = "RFC 9701, section 5"
        let common = JWTPolicy(
            name: "the signed introspection response",
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
            throw claims.fields.violation("token_introspection in the signed introspection response", "none")
        }
        let subject = "token_introspection"
        return try Introspection(
            try JSONFields(introspection, rule: .introspectionFormat, section: section, subject: subject)
        )
    }
}
