// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// What a ``JWK`` holds.
final class JWKContents: Sendable {
    let keyType: String
    let curve: String?
    let use: String?
    let keyOperations: [String]?
    let algorithm: JWSAlgorithm?
    let keyID: String?
    let thumbprint: String
    let material: JWKMaterial
    /// The algorithms whose signatures the key may verify.
    let verifiable: [JWSAlgorithm]

    init(parsing value: JSONValue) throws(ProtocolViolationError) {
        guard let keyType = try JWK.text("kty", in: value) else { throw JWK.violation("kty", nil) }
        self.keyType = keyType
        self.use = try JWK.text("use", in: value)
        self.algorithm = try JWK.text("alg", in: value).map(JWSAlgorithm.init(rawValue:))
        self.keyID = try JWK.text("kid", in: value)
        self.keyOperations = try JWK.operations(in: value)
        self.curve = keyType == "RSA" ? nil : try JWK.text("crv", in: value)
        self.material = try JWK.material(keyType, self.curve ?? "", value)
        self.thumbprint = self.material.thumbprint
        let isForSignatures = (self.use ?? "sig") == "sig" && self.keyOperations?.contains("verify") ?? true
        let (curve, algorithm) = (self.curve, self.algorithm)
        self.verifiable = JWSAlgorithm.supported.filter { supported in
            isForSignatures && supported.keyType == keyType && supported.curve == curve
                && (algorithm ?? supported) == supported
        }
    }
}
