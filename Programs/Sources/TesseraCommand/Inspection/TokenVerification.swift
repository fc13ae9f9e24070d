// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON

/// The result of verifying a token's signature and claims.
enum TokenVerification: Sendable {
    /// The reason that a token was not verified.
    enum Reason: Sendable {
        case encrypted
        case noIssuer
    }

    case verified(keys: String, comparesAudience: Bool)
    /// The token violates a rule. `keys` describes the source of the keys, if any were used.
    case broken(keys: String?, ProtocolViolationError)
    case unchecked(Reason)

    /// The result for scripts.
    var word: String {
        switch self {
        case .verified: "verified"
        case .broken: "broken"
        case .unchecked(.encrypted): "encrypted"
        case .unchecked(.noIssuer): "unchecked"
        }
    }

    /// The result for users.
    var text: String {
        switch self {
        case .verified(let keys, true): "verified with the keys from \(keys)"
        case .verified(let keys, false):
            "verified with the keys from \(keys); the audience was not checked (--client-id)"
        case .broken(let keys?, let error) where error.rule == .jwsSignature: "not signed with the keys from \(keys)"
        case .broken(let keys?, _): "not valid (checked with the keys from \(keys))"
        case .broken(nil, _): "not valid"
        case .unchecked(.encrypted): "not checked: the token is encrypted (JWE), and only its recipient can read it"
        case .unchecked(.noIssuer): "not checked: specify the issuer with --issuer"
        }
    }
}

/// The source of the keys that verify a token.
enum TokenKeySource: Sendable {
    case file(String, JWKSet)
    case issuer(Issuer, Insecure, aliases: [String])

    /// Verifies a decoded token with the library's rules.
    ///
    /// The audience is checked only if the client ID was specified.
    ///
    /// - Throws: Any error that occurs while fetching the keys. A token that violates a rule does not throw.
    func verify(
        _ token: Secret,
        _ jws: CompactJWS,
        _ parts: TokenParts,
        clientID: String?
    ) async throws -> TokenVerification {
        let comparesAudience = clientID != nil
        switch self {
        case .file(let path, let keys):
            do {
                // If the keys are specified, the token can have any issuer.
                let issuer = try Issuer(parts.claims?["iss"]?.string ?? "", insecure: .loopbackHTTP)
                let policy = Self.policy(issuer, aliases: [], jws, parts, clientID: clientID)
                _ = try policy.validate(token, keys: keys, now: WallClock.now)
                return .verified(keys: path, comparesAudience: comparesAudience)
            } catch let error as ProtocolViolationError {
                return .broken(keys: path, error)
            }
        case .issuer(let issuer, let insecure, let aliases):
            let runtime = OAuthRuntime.real(insecure: insecure)
            let metadata = try await ProviderDocument.find(issuer, insecure: insecure, runtime: runtime).metadata
            let cache = KeySetCache(try metadata.require(\.jwksURI, "jwks_uri"), runtime: runtime)
            let policy = Self.policy(issuer, aliases: aliases, jws, parts, clientID: clientID)
            do {
                _ = try await cache.validate(token, policy: policy)
                return .verified(keys: issuer.url, comparesAudience: comparesAudience)
            } catch let error as ProtocolViolationError where error.rule != .jwkSetFormat {
                return .broken(keys: issuer.url, error)
            }
        }
    }

    /// Returns a policy that accepts the token's own type, and its own audience unless the client ID was specified.
    private static func policy(
        _ issuer: Issuer,
        aliases: [String],
        _ jws: CompactJWS,
        _ parts: TokenParts,
        clientID: String?
    ) -> JWTPolicy {
        let prefix = "application/"
        let type = jws.header.type?.lowercased()
        let audience = parts.claims?["aud"]
        let own = audience?.string.map { [$0] } ?? audience?.elements?.compactMap(\.string) ?? []
        return JWTPolicy(
            name: "the token",
            types: type.map { [$0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0] } ?? [],
            algorithms: JWSAlgorithm.supported,
            issuer: issuer,
            issuerAliases: aliases,
            audiences: clientID.map { [$0] } ?? own
        )
    }
}
