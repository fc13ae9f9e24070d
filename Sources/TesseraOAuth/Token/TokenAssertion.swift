// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import TesseraJOSE
public import TesseraJSON

/// The claims in a signed assertion that is exchanged for an access token, for example by a service account.
///
/// Signing adds `iat`, `exp` and a random `jti`. An assertion can be used only once and is valid only for a short time,
/// so sign a new one for each request.
///
/// - SeeAlso: [RFC 7523, section 3](https://www.rfc-editor.org/rfc/rfc7523.html#section-3)
public struct TokenAssertion: Sendable, Hashable {
    /// The maximum lifetime of an assertion, which is one hour.
    public static let longestLifetime: Duration = .seconds(3_600)

    /// The issuer, which signs the assertion (`iss`).
    public var issuer: String
    /// The user on whose behalf the request is made (`sub`), or nil if there is none, as with a Google service account
    /// that acts for itself.
    public var subject: String?
    /// The authorization server (`aud`), identified by its issuer identifier or the URL of its token endpoint.
    public var audience: String
    /// The scopes to include in the assertion (`scope`), or an empty array to omit them.
    ///
    /// Some providers, such as Google, expect the scopes in the assertion.
    public var scopes: [Scope]
    /// The lifetime, which must be between one second and one hour.
    public var lifetime: Duration
    /// Additional claims, which must not include claims that this type sets.
    public var additionalClaims: [JSONMember]

    /// Creates an assertion.
    public init(
        issuer: String,
        subject: String?,
        audience: String,
        scopes: [Scope] = [],
        lifetime: Duration = Self.longestLifetime,
        additionalClaims: [JSONMember] = []
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.scopes = scopes
        self.lifetime = lifetime
        self.additionalClaims = additionalClaims
    }

    /// Returns a signed assertion with the current time and a new `jti`.
    ///
    /// - Parameters:
    ///   - key: The issuer's private key.
    ///   - runtime: The clock and the source of randomness.
    /// - Returns: The assertion as a JWS in compact form.
    /// - Throws: ``InvalidRequestError`` if the lifetime or a claim is not valid, or the key cannot sign.
    public func signed(by key: JWSSigningKey, runtime: OAuthRuntime) throws -> Secret {
        let payload = try self.payload(runtime: runtime)
        do {
            return Secret(try key.sign(payload: payload))
        } catch {
            throw InvalidRequestError("assertionKey", reason: "the key cannot sign")
        }
    }

    func payload(runtime: OAuthRuntime) throws -> [UInt8] {
        guard self.lifetime >= .seconds(1), self.lifetime <= Self.longestLifetime else {
            throw InvalidRequestError("exp", reason: "the lifetime must be between one second and one hour")
        }
        let issuedAt = Int64(runtime.now().timeIntervalSince1970)
        let scope = self.scopes.isEmpty ? nil : try ScopeList.text(self.scopes)
        let claims: KeyValuePairs<String, JSONNode?> = [
            "iss": .string(self.issuer), "sub": self.subject.map { .string($0) }, "aud": .string(self.audience),
            "scope": scope.map { .string($0) }, "iat": .integer(issuedAt),
            "exp": .integer(issuedAt + self.lifetime.components.seconds),
            "jti": .string(RandomText.make(runtime.randomBytes)),
        ]
        if let claim = self.additionalClaims.first(where: { claim in claims.contains { $0.key == claim.name } }) {
            throw InvalidRequestError(claim.name, reason: "this claim is set by the library")
        }
        return JSONNode.object(present: claims, self.additionalClaims).serialized()
    }
}
