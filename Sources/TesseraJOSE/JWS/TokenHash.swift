// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// The hash that binds a token or code to an ID token: `at_hash` and `c_hash`.
///
/// - SeeAlso: [OpenID Connect Core, section 3.1.3.6](https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken)
public enum TokenHash {
    /// The left half of the token's hash, in base64url; nil when the algorithm is not supported.
    ///
    /// The hash is that of the ID token's signature algorithm; for EdDSA on Ed25519 it is SHA-512.
    public static func compute(of token: String, algorithm: JWSAlgorithm) -> String? {
        algorithm.hash.map { Base64URL.encode(Self.leftHalf(of: token, $0)) }
    }

    /// Whether a provider's hash is the token's.
    ///
    /// The standard names no hash for EdDSA; providers use SHA-512 or SHA-256, and both bind as well as ES256 does, so
    /// both are accepted. False when the algorithm is not supported.
    public static func matches(_ hash: String, of token: String, algorithm: JWSAlgorithm) -> Bool {
        guard let usual = algorithm.hash else { return false }
        // Each hash has one text, so that bytes may be compared instead of texts.
        guard let hash = Base64URL.decode(hash) else { return false }
        return hash.withSpan { hash in
            Self.leftHalf(of: token, usual).span.isExactly(hash)
                || algorithm.keyType == "OKP" && Self.leftHalf(of: token, .sha256).span.isExactly(hash)
        }
    }

    private static func leftHalf(of token: String, _ hash: JWSHash) -> ArraySlice<UInt8> {
        var token = token
        let digest = token.withUTF8 { hash.digest(of: $0) }
        return digest.prefix(digest.count / 2)
    }
}
