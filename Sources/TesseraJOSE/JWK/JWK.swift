// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
public import TesseraJSON

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A public key of a provider: RSA, or a point on P-256, P-384, P-521 or Ed25519.
///
/// Reading one proves that it is a usable key: large enough, and on its curve. Private members are not kept.
///
/// - SeeAlso: [RFC 7517, section 4](https://www.rfc-editor.org/rfc/rfc7517.html#section-4)
public struct JWK: Sendable {
    /// The type, `kty`.
    public let keyType: String
    /// The curve, `crv`; nil for RSA.
    public let curve: String?
    /// What the key is for, `use`: `sig` or `enc`.
    public let use: String?
    /// What may be done with the key, `key_ops`.
    public let keyOperations: [String]?
    /// The only algorithm that the key is for, `alg`.
    public let algorithm: JWSAlgorithm?
    /// The key's name, `kid`.
    public let keyID: String?
    /// The hash of the key, base64url: a name that everybody can compute.
    ///
    /// - SeeAlso: [RFC 7638](https://www.rfc-editor.org/rfc/rfc7638.html)
    public let thumbprint: String

    let material: JWKMaterial

    /// Reads a key.
    ///
    /// - Throws: ``ProtocolViolation`` with `jwkFormat` when the type or curve is not supported, a member is missing
    ///   or of the wrong kind, or the numbers make no usable key.
    public init(parsing value: JSONValue) throws(ProtocolViolation) {
        guard let keyType = try Self.text("kty", in: value) else { throw Self.violation("kty", nil) }
        self.keyType = keyType
        self.use = try Self.text("use", in: value)
        self.algorithm = try Self.text("alg", in: value).map(JWSAlgorithm.init(rawValue:))
        self.keyID = try Self.text("kid", in: value)
        self.keyOperations = try Self.operations(in: value)
        self.curve = keyType == "RSA" ? nil : try Self.text("crv", in: value)
        self.material = try Self.material(keyType, self.curve ?? "", value)
        self.thumbprint = self.material.thumbprint
    }

    /// Whether the key may verify signatures by the algorithm: its type and curve fit, and its own `alg`, `use` and
    /// `key_ops`, where present, allow it.
    public func canVerify(_ algorithm: JWSAlgorithm) -> Bool {
        algorithm.keyType == self.keyType && algorithm.curve == self.curve
            && (self.algorithm ?? algorithm) == algorithm
            && (self.use ?? "sig") == "sig"
            && self.keyOperations?.contains("verify") ?? true
    }
}

extension JWK: Hashable {
    /// Whether the keys and what is said about them are the same.
    public static func == (left: Self, right: Self) -> Bool {
        left.thumbprint == right.thumbprint && left.keyID == right.keyID && left.use == right.use
            && left.algorithm == right.algorithm && left.keyOperations == right.keyOperations
    }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.thumbprint) }
}
