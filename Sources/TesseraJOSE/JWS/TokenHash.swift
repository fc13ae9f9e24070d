// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// The hash that binds an access token or code to an ID token (`at_hash` and `c_hash`).
///
/// - SeeAlso: [OpenID Connect Core, section 3.1.3.6](https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken)
public enum TokenHash {
    /// Returns the left half of the token's hash, encoded in base64url, or nil if the algorithm is not supported.
    ///
    /// The hash function is the one that the ID token's signature algorithm uses, which is SHA-512 for EdDSA on
    /// Ed25519.
    public static func compute(of token: String, algorithm: JWSAlgorithm) -> String? {
        algorithm.hash.map { Base64URL.encode(Self.leftHalf(of: token, $0)) }
    }

    /// Returns whether a hash from a provider matches a token, or false if the algorithm is not supported.
    ///
    /// The standard does not specify a hash function for EdDSA. SHA-512 and SHA-256 are both accepted, because
    /// providers use both and either is as secure as the hash for ES256.
    public static func matches(_ hash: String, of token: String, algorithm: JWSAlgorithm) -> Bool {
        guard let usual = algorithm.hash else { return false }
        // Each hash has exactly one encoding, so comparing the decoded bytes is equivalent.
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
