// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import TesseraJOSE
public import TesseraJSON

/// The claims of a signed assertion that is exchanged for an access token: a service account's, for example.
///
/// `iat`, `exp` and a random `jti` are added when it is signed; it is good once and for a short time, so sign a new one
/// for each request.
///
/// - SeeAlso: [RFC 7523, section 3](https://www.rfc-editor.org/rfc/rfc7523.html#section-3)
public struct TokenAssertion: Sendable, Hashable {
    /// The longest time that an assertion may be good.
    public static let longestLifetime: Duration = .seconds(3_600)

    /// `iss`: who signs.
    public var issuer: String
    /// `sub`: on whose behalf; nil leaves it out, as Google's service accounts that act for themselves do.
    public var subject: String?
    /// `aud`: the authorization server, as it wants to be named: by its issuer identifier or its token endpoint.
    public var audience: String
    /// `scope` inside the assertion, where the provider reads it there (Google); empty leaves it out.
    public var scopes: [Scope]
    /// How long the assertion is good: up to an hour.
    public var lifetime: Duration
    /// More claims; none of those that this type writes itself.
    public var additionalClaims: [JSONMember]

    /// An assertion, good for an hour unless told otherwise.
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

    /// The assertion with the time of now and a new `jti`, signed.
    ///
    /// - Parameters:
    ///   - key: the issuer's key.
    ///   - runtime: supplies the time and the randomness.
    /// - Returns: the token in compact form.
    /// - Throws: ``InvalidRequestError`` for a lifetime or claims that cannot be, and for a key that does not sign.
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
            throw InvalidRequestError("exp", reason: "an assertion is good for one second to one hour")
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
            throw InvalidRequestError(claim.name, reason: "this claim is written by the assertion itself")
        }
        return JSONNode.object(present: claims, self.additionalClaims).serialized()
    }
}
