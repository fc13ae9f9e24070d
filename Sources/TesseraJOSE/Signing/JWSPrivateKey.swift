// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import CryptoExtras
internal import TesseraSupport

/// A private key of any supported type.
enum JWSPrivateKey: Sendable {
    case rsa(_RSA.Signing.PrivateKey)
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)
    case p521(P521.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)

    /// Returns a new key for the given algorithm, or nil if the algorithm is not supported.
    static func generate(for algorithm: JWSAlgorithm) throws -> Self? {
        switch (algorithm.keyType, algorithm.curve) {
        case ("RSA", _): .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        case (_, "P-256"): .p256(P256.Signing.PrivateKey(compactRepresentable: false))
        case (_, "P-384"): .p384(P384.Signing.PrivateKey())
        case (_, "P-521"): .p521(P521.Signing.PrivateKey())
        case (_, "Ed25519"): .ed25519(Curve25519.Signing.PrivateKey())
        default: nil
        }
    }

    /// Returns the key in PEM text along with its default algorithm, or nil if the key is not supported.
    static func read(pem: String) -> (key: Self, algorithm: JWSAlgorithm)? {
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) { return (.p256(key), .es256) }
        if let key = try? P384.Signing.PrivateKey(pemRepresentation: pem) { return (.p384(key), .es384) }
        if let key = try? P521.Signing.PrivateKey(pemRepresentation: pem) { return (.p521(key), .es512) }
        if let key = try? Curve25519.Signing.PrivateKey(pemRepresentation: pem) { return (.ed25519(key), .edDSA) }
        if let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem) { return (.rsa(key), .rs256) }
        return nil
    }

    var pem: String {
        switch self {
        case .rsa(let key): key.pkcs8PEMRepresentation
        case .p256(let key): key.pemRepresentation
        case .p384(let key): key.pemRepresentation
        case .p521(let key): key.pemRepresentation
        case .ed25519(let key): key.pemRepresentation
        }
    }

    func publicMaterial() throws -> JWKMaterial {
        switch self {
        case .rsa(let key):
            let numbers = try key.publicKey.getKeyPrimitives()
            return try JWKMaterial(modulus: Array(numbers.modulus), exponent: Array(numbers.publicExponent))
        case .p256(let key): return .p256(key.publicKey)
        case .p384(let key): return .p384(key.publicKey)
        case .p521(let key): return .p521(key.publicKey)
        case .ed25519(let key): return .ed25519(key.publicKey)
        }
    }

    func signature(over input: [UInt8], by algorithm: JWSAlgorithm) throws -> [UInt8] {
        switch self {
        case .rsa(let key):
            return switch algorithm.hash {
            case .sha256, nil: try Self.signature(of: SHA256.hash(data: input), key, algorithm.isPSS)
            case .sha384: try Self.signature(of: SHA384.hash(data: input), key, algorithm.isPSS)
            case .sha512: try Self.signature(of: SHA512.hash(data: input), key, algorithm.isPSS)
            }
        case .p256(let key): return Array(try key.signature(for: SHA256.hash(data: input)).rawRepresentation)
        case .p384(let key): return Array(try key.signature(for: SHA384.hash(data: input)).rawRepresentation)
        case .p521(let key): return Array(try key.signature(for: SHA512.hash(data: input)).rawRepresentation)
        case .ed25519(let key): return Array(try key.signature(for: input))
        }
    }

    private static func signature(
        of digest: some Digest,
        _ key: _RSA.Signing.PrivateKey,
        _ isPSS: Bool
    ) throws -> [UInt8] {
        Array(try key.signature(for: digest, padding: isPSS ? .PSS : .insecurePKCS1v1_5).rawRepresentation)
    }
}
