// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import CryptoExtras
internal import TesseraJSON
internal import TesseraSupport

/// A public key from the cryptography library.
enum JWKMaterial: Sendable {
    case rsa(_RSA.Signing.PublicKey, modulus: [UInt8], exponent: [UInt8])
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    /// Creates an RSA key of 2,048 to 16,384 bits with an odd exponent from 3 to 2³³ − 1, ignoring leading zeros.
    ///
    /// Keys with the ROCA weakness are rejected.
    ///
    /// - Throws: The cryptography library's error for any other values.
    init(modulus: [UInt8], exponent: [UInt8]) throws {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        guard !ROCA.affects(modulus) else { throw CryptoKitError.incorrectKeySize }
        let key = try _RSA.Signing.PublicKey(n: modulus, e: exponent)
        self = .rsa(key, modulus: modulus, exponent: exponent)
    }

    /// Creates a key on a NIST curve from full-length coordinates, or returns nil for any other curve.
    init?(curve: String, x: [UInt8], y: [UInt8]) throws {
        guard x.count == y.count else { throw CryptoKitError.incorrectParameterSize }
        switch curve {
        case "P-256": self = .p256(try P256.Signing.PublicKey(rawRepresentation: x + y))
        case "P-384": self = .p384(try P384.Signing.PublicKey(rawRepresentation: x + y))
        case "P-521": self = .p521(try P521.Signing.PublicKey(rawRepresentation: x + y))
        default: return nil
        }
    }

    /// Only the members that define the key, sorted by name.
    ///
    /// - SeeAlso: [RFC 7638, section 3.2](https://www.rfc-editor.org/rfc/rfc7638.html#section-3.2)
    var bareJWK: JSONNode {
        switch self {
        case .rsa(_, let modulus, let exponent):
            [
                "e": .string(Base64URL.encode(exponent)), "kty": "RSA", "n": .string(Base64URL.encode(modulus)),
            ]
        case .p256(let key): Self.curveJWK("P-256", key.rawRepresentation)
        case .p384(let key): Self.curveJWK("P-384", key.rawRepresentation)
        case .p521(let key): Self.curveJWK("P-521", key.rawRepresentation)
        case .ed25519(let key):
            ["crv": "Ed25519", "kty": "OKP", "x": .string(Base64URL.encode(key.rawRepresentation))]
        }
    }

    private static func curveJWK(_ curve: String, _ point: Data) -> JSONNode {
        [
            "crv": .string(curve), "kty": "EC", "x": .string(Base64URL.encode(point.prefix(point.count / 2))),
            "y": .string(Base64URL.encode(point.suffix(point.count / 2))),
        ]
    }

    /// The SHA-256 thumbprint of the key in base64url.
    var thumbprint: String {
        Base64URL.encode(Array(SHA256.hash(data: self.bareJWK.serialized())))
    }

    /// Returns whether a signature is valid for the input, or false if the algorithm requires another type of key.
    ///
    /// An ECDSA signature consists of two concatenated fixed-length numbers. DER is not accepted.
    ///
    /// - SeeAlso: [RFC 7518, section 3.4](https://www.rfc-editor.org/rfc/rfc7518.html#section-3.4)
    func isValid(_ signature: [UInt8], for input: [UInt8], by algorithm: JWSAlgorithm) -> Bool {
        switch self {
        case .rsa(let key, _, _):
            guard algorithm.keyType == "RSA" else { return false }
            return switch algorithm.hash {
            case .sha256: Self.isValid(signature, for: SHA256.hash(data: input), key, algorithm.isPSS)
            case .sha384: Self.isValid(signature, for: SHA384.hash(data: input), key, algorithm.isPSS)
            case .sha512: Self.isValid(signature, for: SHA512.hash(data: input), key, algorithm.isPSS)
            case nil: false
            }
        case .p256(let key):
            guard algorithm == .es256, let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: input))
        case .p384(let key):
            guard algorithm == .es384, let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: SHA384.hash(data: input))
        case .p521(let key):
            guard algorithm == .es512, let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: SHA512.hash(data: input))
        case .ed25519(let key):
            guard algorithm.curve == "Ed25519" else { return false }
            return key.isValidSignature(signature, for: input)
        }
    }

    private static func isValid(
        _ signature: [UInt8],
        for digest: some Digest,
        _ key: _RSA.Signing.PublicKey,
        _ isPSS: Bool
    ) -> Bool {
        key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature),
            for: digest,
            padding: isPSS ? .PSS : .insecurePKCS1v1_5
        )
    }
}
