// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
internal import TesseraJSON

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
    public init(
        issuer: Issuer,
        clientID: String,
        algorithms: [JWSAlgorithm] = [.rs256],
        issuedAtLimit: Int? = 60
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.algorithms = algorithms
        self.issuedAtLimit = issuedAtLimit
    }

    /// Validates a signed introspection.
    ///
    /// - Throws: as ``JWTPolicy/validate(_:keys:now:)``; `introspectionFormat`.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws(ProtocolViolationError) -> Introspection {
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
