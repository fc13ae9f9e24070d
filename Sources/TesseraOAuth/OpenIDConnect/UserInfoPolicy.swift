// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
public import TesseraJSON

/// What a signed answer of a userinfo endpoint has to fit: the provider's signature, `iss`, `aud` and `sub`.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 5.3.2](https://openid.net/specs/openid-connect-core-1_0.html#UserInfoResponse)
public struct UserInfoPolicy: TokenPolicy {
    /// The provider.
    public var issuer: Issuer
    /// Other spellings of `iss` that the provider is known to use.
    public var issuerAliases: [String]
    /// This client: `aud`.
    public var clientID: String
    /// Whose claims are expected, nil where there was no ID token to compare with.
    public var subject: String?
    /// Algorithms that a signature may use.
    public var algorithms: [JWSAlgorithm]

    static let section = "OpenID Connect Core 1.0, section 5.3.2"

    /// A policy.
    public init(
        issuer: Issuer,
        issuerAliases: [String] = [],
        clientID: String,
        subject: String?,
        algorithms: [JWSAlgorithm] = [.rs256]
    ) {
        self.issuer = issuer
        self.issuerAliases = issuerAliases
        self.clientID = clientID
        self.subject = subject
        self.algorithms = algorithms
    }

    /// Validates a token and gives its claims.
    ///
    /// - Throws: as ``JWTPolicy/validate(_:keys:now:)``; `userInfoSubject`.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws(ProtocolViolationError) -> JSONValue {
        let common = JWTPolicy(
            name: "the user information",
            section: Self.section,
            algorithms: self.algorithms,
            issuer: self.issuer,
            issuerAliases: self.issuerAliases,
            audiences: [self.clientID]
        )
        let jwt = try common.validate(token, keys: keys, now: now)
        return try Self.claims(jwt.claims.fields, of: self.subject)
    }

    /// Section 5.3.2: the `sub` MUST be that of the ID token, exactly.
    static func claims(_ fields: JSONFields, of expected: String?) throws(ProtocolViolationError) -> JSONValue {
        let subject = try fields.string("sub")
        guard let subject, !subject.isEmpty, expected?.isExactly(subject) ?? true else {
            throw ProtocolViolationError(
                .userInfoSubject,
                expected: "the sub of the ID token",
                actual: subject == nil ? "none" : "another",
                section: Self.section
            )
        }
        return fields.object
    }
}
