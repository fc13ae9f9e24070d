// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Encodes text in base64url.
func base64URL(_ text: String) -> String { Base64URL.encode(text.utf8) }

/// Valid and invalid ID tokens, signed with keys that all tests share.
enum IDTokens {
    /// The provider's signing key.
    static let key = Result { try JWSSigningKey.generate(.es256) }
    /// A signing key that does not belong to the provider.
    static let otherKey = Result { try JWSSigningKey.generate(.es256) }
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    static func claims(_ changes: [String: String] = [:]) -> String {
        Example.object(
            [
                "iss": "\"https://as.example\"", "sub": "\"subject\"", "aud": "\"client\"", "exp": "1700003600",
                "iat": "1700000000", "nonce": "\"nonce\"",
            ],
            changes
        )
    }

    /// Creates a token signed with the provider's key, unless another key is given.
    static func token(
        _ changes: [String: String] = [:],
        header: [JSONMember] = [],
        type: String? = nil,
        key: Result<JWSSigningKey, any Error> = IDTokens.key
    ) throws -> Secret {
        Secret(try key.get().sign(payload: Array(self.claims(changes).utf8), type: type, header: header))
    }

    static func keys(_ nodes: [JSONNode]) throws -> JWKSet {
        try JWKSet(parsing: JSONNode.object([JSONMember(name: "keys", value: .array(nodes))]).serialized())
    }

    /// Returns the provider's public JWK with the given changes.
    static func published(
        _ changes: [String: JSONNode] = [:],
        key: Result<JWSSigningKey, any Error> = IDTokens.key
    ) throws -> JSONNode {
        guard case .object(let members) = try key.get().publicJWK else { return nil }
        let unchanged = members.filter { changes[$0.name] == nil }
        return .object(
            unchanged + changes.filter { $0.value != .null }.map { JSONMember(name: $0.key, value: $0.value) }
        )
    }

    static func policy(_ change: (inout IDTokenPolicy) -> Void = { _ in }) throws -> IDTokenPolicy {
        var policy = IDTokenPolicy(
            issuer: try Issuer(Example.issuer),
            clientID: "client",
            algorithms: [.es256],
            nonce: .equal(Secret("nonce"))
        )
        change(&policy)
        return policy
    }

    /// Validates a token with the example policy.
    static func validate(
        _ token: Secret,
        keys: JWKSet? = nil,
        at seconds: Double = 0,
        _ change: (inout IDTokenPolicy) -> Void = { _ in }
    ) throws -> ValidatedIDToken {
        try self.policy(change)
            .validate(
                token,
                keys: try keys ?? self.keys([self.published()]),
                now: self.now.addingTimeInterval(seconds)
            )
    }
}
