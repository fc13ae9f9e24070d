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

    /// A policy.
    public init(issuer: Issuer, clientID: String, algorithms: [JWSAlgorithm] = [.rs256]) {
        self.issuer = issuer
        self.clientID = clientID
        self.algorithms = algorithms
    }

    /// Validates a signed introspection.
    ///
    /// - Throws: as ``JWTPolicy/validate(_:keys:now:)``; `introspectionFormat`.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws(ProtocolViolation) -> Introspection {
        let section = "RFC 9701, section 5"
        let common = JWTPolicy(
            name: "the signed introspection",
            section: section,
            types: ["token-introspection+jwt"],
            requiresType: true,
            algorithms: self.algorithms,
            issuer: self.issuer,
            audiences: [self.clientID],
            requiredClaims: ["iat", "token_introspection"]
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
