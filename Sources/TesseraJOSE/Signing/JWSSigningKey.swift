// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// A private key that signs tokens.
///
/// Use a signing key for client assertions, proofs of possession, your own provider and tests. Its description does not
/// reveal the key. Keys and signatures are generated with the system's random number generator.
///
/// - SeeAlso: [RFC 7515, section 5.1](https://www.rfc-editor.org/rfc/rfc7515.html#section-5.1)
public struct JWSSigningKey: Sendable {
    /// The signature algorithm.
    public let algorithm: JWSAlgorithm
    /// The ID of the key (`kid`), or nil to omit it.
    ///
    /// Defaults to the thumbprint.
    public var keyID: String?

    private let key: JWSPrivateKey
    private let material: JWKMaterial

    /// Returns a new key.
    ///
    /// RSA keys have 2,048 bits.
    ///
    /// - Throws: ``JWSSigningKeyError`` if the algorithm is not supported, or any error that the cryptography library
    ///   throws.
    public static func generate(_ algorithm: JWSAlgorithm) throws -> Self {
        guard let key = try JWSPrivateKey.generate(for: algorithm) else {
            throw JWSSigningKeyError.unsupportedAlgorithm
        }
        return try Self(key, algorithm)
    }

    /// Creates a key from PEM.
    ///
    /// If the algorithm is nil, RSA keys use RS256, and other keys use the algorithm for their curve.
    ///
    /// - Throws: ``JWSSigningKeyError`` if the key or algorithm is not supported.
    public init(pem: String, algorithm: JWSAlgorithm? = nil) throws {
        guard let (key, usual) = JWSPrivateKey.read(pem: pem) else { throw JWSSigningKeyError.invalidPEM }
        let algorithm = algorithm ?? usual
        guard algorithm.keyType == usual.keyType, algorithm.curve == usual.curve else {
            throw JWSSigningKeyError.unsupportedAlgorithm
        }
        try self.init(key, algorithm)
    }

    private init(_ key: JWSPrivateKey, _ algorithm: JWSAlgorithm) throws {
        self.key = key
        self.algorithm = algorithm
        self.material = try key.publicMaterial()
        self.keyID = self.material.thumbprint
    }

    /// The private key as unencrypted PKCS #8 in PEM, which must be kept secret.
    public var pemRepresentation: String { self.key.pem }

    /// The SHA-256 thumbprint of the public key in base64url (RFC 7638).
    public var thumbprint: String { self.material.thumbprint }

    /// The public key as a JWK for publication, with `use`, `alg` and `kid`.
    public var publicJWK: JSONNode {
        let published: KeyValuePairs<String, JSONNode?> = [
            "use": "sig", "alg": .string(self.algorithm.rawValue), "kid": self.keyID.map { .string($0) },
        ]
        return .object((self.material.bareJWK.members ?? []) + (JSONNode.object(present: published).members ?? []))
    }

    /// The public key as a JWK with only the members that define it, for use in a proof of possession.
    package var barePublicJWK: JSONNode { self.material.bareJWK }

    /// Returns a signed token in compact form.
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - type: The type of the token (`typ`).
    ///   - header: Additional header members, which can replace `alg`, `kid` and `typ`. The key always uses its own
    ///     algorithm, even if `alg` is replaced.
    /// - Returns: The token.
    /// - Throws: Any error that the cryptography library throws.
    public func sign(payload: [UInt8], type: String? = nil, header: [JSONMember] = []) throws -> String {
        let members = JWSHeader.members(
            algorithm: self.algorithm.rawValue,
            keyID: self.keyID,
            type: type,
            replacedBy: header
        )
        return try self.sign(payload: payload, headerText: JSONNode.object(members).text())
    }

    /// Returns the signature over bytes, in the format of RFC 7518.
    ///
    /// - Throws: Any error that the cryptography library throws.
    package func signature(over bytes: [UInt8]) throws -> [UInt8] {
        try self.key.signature(over: bytes, by: self.algorithm)
    }

    /// Returns a signed token with exactly this header, even if it is not valid, for testing token parsers.
    package func sign(payload: [UInt8], headerText: String) throws -> String {
        let input = Base64URL.encode(headerText.utf8) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(try self.key.signature(over: Array(input.utf8), by: self.algorithm))
    }
}

extension JWSSigningKey: Hashable {
    /// Returns whether two keys have the same algorithm, key ID and public key.
    public static func == (left: Self, right: Self) -> Bool {
        left.algorithm == right.algorithm && left.keyID == right.keyID && left.thumbprint == right.thumbprint
    }
    /// Hashes the thumbprint of the public key.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.thumbprint) }
}

extension JWSSigningKey: Redacted {
    /// A description that contains the algorithm and the key ID but not the key.
    public var description: String { "signing key \(self.algorithm) \(self.keyID ?? "without a key ID")" }
}

/// An error that explains why a signing key cannot be created.
///
/// The error does not contain any part of the key.
///
/// - SeeAlso: [RFC 7518, section 3.1](https://www.rfc-editor.org/rfc/rfc7518.html#section-3.1)
public struct JWSSigningKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason in one sentence.
    public let description: String

    /// The algorithm is not one of ``JWSAlgorithm/supported``, or does not match the key.
    public static let unsupportedAlgorithm = Self(
        description: "The signature algorithm is not supported or does not match the key."
    )
    /// The text is not an unencrypted PKCS #8 private key of a supported type in PEM, or the RSA key is too small.
    public static let invalidPEM = Self(description: "The text does not contain a supported private key in PEM format.")

    /// Returns whether an error is equal to this one.
    public static func ~= (pattern: Self, error: any Error) -> Bool { (error as? Self) == pattern }
}
