// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import TesseraJOSE

extension Verifier {
    /// Creates a verifier that only checks the signatures of parsed tokens with swift-crypto.
    static func bare(_ tokens: SignedTokens) throws -> Verifier {
        let parts = try tokens.texts.map { try CompactJWS(parsing: $0) }
        let inputs = parts.map { (text: $0.signingInput, signature: $0.signature) }
        if tokens.algorithm == .rs256 {
            let key = try _RSA.Signing.PrivateKey(pemRepresentation: tokens.signingKey).publicKey
            return Verifier(name: "bare") { number in
                let input = inputs[number % inputs.count]
                let signature = _RSA.Signing.RSASignature(rawRepresentation: input.signature)
                let digest = SHA256.hash(data: input.text)
                guard key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5) else {
                    throw CryptoKitError.authenticationFailure
                }
            }
        }
        let key = try P256.Signing.PrivateKey(pemRepresentation: tokens.signingKey).publicKey
        return Verifier(name: "bare") { number in
            let input = inputs[number % inputs.count]
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: input.signature)
            guard key.isValidSignature(signature, for: SHA256.hash(data: input.text)) else {
                throw CryptoKitError.authenticationFailure
            }
        }
    }
}
