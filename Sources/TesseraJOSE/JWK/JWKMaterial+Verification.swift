// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import CryptoExtras
internal import TesseraSupport

extension JWKMaterial {
    /// Whether the signature is this key's over the input; false for an algorithm of another kind of key.
    ///
    /// ECDSA signatures are the two numbers at full length, one after the other, never DER.
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
