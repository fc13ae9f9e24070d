// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// A public key of a provider: RSA, or a point on P-256, P-384, P-521 or Ed25519.
///
/// Reading one proves that it is a usable key: large enough, and on its curve. Private members are not kept.
///
/// - SeeAlso: [RFC 7517, section 4](https://www.rfc-editor.org/rfc/rfc7517.html#section-4)
public struct JWK: Sendable {
    /// Everything in one object: a key is handed on for every token, at the cost of one reference.
    private let contents: JWKContents

    /// The type, `kty`.
    public var keyType: String { self.contents.keyType }
    /// The curve, `crv`; nil for RSA.
    public var curve: String? { self.contents.curve }
    /// What the key is for, `use`: `sig` or `enc`.
    public var use: String? { self.contents.use }
    /// What may be done with the key, `key_ops`.
    public var keyOperations: [String]? { self.contents.keyOperations }
    /// The only algorithm that the key is for, `alg`.
    public var algorithm: JWSAlgorithm? { self.contents.algorithm }
    /// The key's name, `kid`.
    public var keyID: String? { self.contents.keyID }
    /// The hash of the key, base64url: a name that everybody can compute.
    ///
    /// - SeeAlso: [RFC 7638](https://www.rfc-editor.org/rfc/rfc7638.html)
    public var thumbprint: String { self.contents.thumbprint }

    var material: JWKMaterial { self.contents.material }

    /// Reads a key.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwkFormat` when the type or curve is not supported, a member is missing
    ///   or of the wrong kind, or the numbers make no usable key.
    public init(parsing value: JSONValue) throws(ProtocolViolationError) {
        self.contents = try JWKContents(parsing: value)
    }

    /// Whether the key may verify signatures by the algorithm: its type and curve fit, and its own `alg`, `use` and
    /// `key_ops`, where present, allow it.
    public func canVerify(_ algorithm: JWSAlgorithm) -> Bool { self.contents.verifiable.contains(algorithm) }
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
