// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// A private key that signs tokens: for client assertions, proofs of possession, a provider of one's own, and tests.
///
/// Its description never shows the key. Keys and signatures take randomness from the system.
///
/// - SeeAlso: [RFC 7515, section 5.1](https://www.rfc-editor.org/rfc/rfc7515.html#section-5.1)
public struct JWSSigningKey: Sendable {
    /// The algorithm that it signs by.
    public let algorithm: JWSAlgorithm
    /// The key's name, sent as `kid` and published: the thumbprint, unless set; nil sends none.
    public var keyID: String?

    private let key: JWSPrivateKey
    private let material: JWKMaterial

    /// Makes a new key; RSA keys get 2,048 bits.
    ///
    /// - Throws: ``JWSSigningKeyError``, or the error of the cryptography library.
    public static func generate(_ algorithm: JWSAlgorithm) throws -> Self {
        guard let key = try JWSPrivateKey.generate(for: algorithm) else {
            throw JWSSigningKeyError.unsupportedAlgorithm
        }
        return try Self(key, algorithm)
    }

    /// Reads a key from PEM.
    ///
    /// Without an algorithm, RSA keys sign by RS256, others by the one of their curve.
    ///
    /// - Throws: ``JWSSigningKeyError``.
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

    /// The private key as PEM (PKCS #8, unencrypted): a secret.
    public var pemRepresentation: String { self.key.pem }

    /// The hash of the public key, base64url (RFC 7638).
    public var thumbprint: String { self.material.thumbprint }

    /// The public key as a provider publishes it: with `use`, `alg` and `kid`.
    public var publicJWK: JSONNode {
        let published: KeyValuePairs<String, JSONNode?> = [
            "use": "sig", "alg": .string(self.algorithm.rawValue), "kid": self.keyID.map { .string($0) },
        ]
        return .object((self.material.bareJWK.members ?? []) + (JSONNode.object(present: published).members ?? []))
    }

    /// The public key with the members that define it and no others, as a proof of possession carries it.
    package var barePublicJWK: JSONNode { self.material.bareJWK }

    /// Signs a payload and gives the token in compact form.
    ///
    /// - Parameters:
    ///   - payload: What is signed, as it is.
    ///   - type: What kind of token it is, sent as `typ`.
    ///   - header: Further members of the header; one of the same name replaces `alg`, `kid` or `typ`. The key signs
    ///     by its own algorithm whatever `alg` then says.
    /// - Returns: The token.
    /// - Throws: The error of the cryptography library.
    public func sign(payload: [UInt8], type: String? = nil, header: [JSONMember] = []) throws -> String {
        let members = JWSHeader.members(
            algorithm: self.algorithm.rawValue,
            keyID: self.keyID,
            type: type,
            replacedBy: header
        )
        return try self.sign(payload: payload, headerText: JSONNode.object(members).text())
    }

    /// Signs a payload under exactly this header, valid or not: for tests of those who read tokens.
    package func sign(payload: [UInt8], headerText: String) throws -> String {
        let input = Base64URL.encode(headerText.utf8) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(try self.key.signature(over: Array(input.utf8), by: self.algorithm))
    }
}

extension JWSSigningKey: Hashable {
    /// Whether both sign by the same algorithm and key, under the same name.
    public static func == (left: Self, right: Self) -> Bool {
        left.algorithm == right.algorithm && left.keyID == right.keyID && left.thumbprint == right.thumbprint
    }
    /// Hashes the public key.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.thumbprint) }
}

extension JWSSigningKey: Redacted {
    /// Only the algorithm and the name.
    public var description: String { "signing key \(self.algorithm) \(self.keyID ?? "without a name")" }
}

/// Why a signing key could not be made.
///
/// It holds nothing of the key.
///
/// - SeeAlso: [RFC 7518, section 3.1](https://www.rfc-editor.org/rfc/rfc7518.html#section-3.1)
public struct JWSSigningKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in a sentence.
    public let description: String

    /// The algorithm is not one of ``JWSAlgorithm/supported``, or the key is not for it.
    public static let unsupportedAlgorithm = Self(description: "The key and the signature algorithm do not fit.")
    /// The text is no PEM of a private key (PKCS #8, unencrypted) of a supported type, or the RSA key is too small.
    public static let invalidPEM = Self(description: "The text holds no supported private key in PEM.")

    /// Whether the error is this one.
    public static func ~= (pattern: Self, error: any Error) -> Bool { (error as? Self) == pattern }
}
