// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
public import TesseraJSON

/// A private key that tokens are bound to, so that a stolen token cannot be used without the key.
///
/// Generate a new key for each account, so that accounts cannot be linked by their key. Store the key with the tokens.
/// The description of a key contains only its algorithm.
///
/// - SeeAlso: [RFC 9449, section 4.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-4.1)
public struct DPoPKey: Sendable {
    /// The algorithm that signs proofs.
    public let algorithm: JWSAlgorithm
    /// The thumbprint of the public key (RFC 7638), sent as `dpop_jkt` in requests and as `jkt` in bound tokens.
    public let thumbprint: String
    private let key: JWSSigningKey
    /// The header of every proof, which contains only the public key.
    private let header: String

    /// Generates a key with the system's random number generator.
    ///
    /// - Throws: `JWSSigningKeyError` if the algorithm is not supported.
    public static func generate(_ algorithm: JWSAlgorithm = .es256) throws -> DPoPKey {
        Self(try JWSSigningKey.generate(algorithm))
    }

    /// Creates a key from its PEM representation.
    ///
    /// - Parameters:
    ///   - pem: The private key as unencrypted PKCS #8.
    ///   - algorithm: The signature algorithm, or nil to use the default for the key type.
    /// - Throws: `JWSSigningKeyError` if the key cannot be used.
    public init(pem: Secret, algorithm: JWSAlgorithm? = nil) throws {
        self.init(try pem.withUnredacted { try JWSSigningKey(pem: $0, algorithm: algorithm) })
    }

    /// Creates a DPoP key from a signing key.
    public init(_ key: JWSSigningKey) {
        self.key = key
        self.algorithm = key.algorithm
        self.thumbprint = key.thumbprint
        let header: JSONNode = [
            "typ": "dpop+jwt", "alg": .string(key.algorithm.rawValue), "jwk": key.barePublicJWK,
        ]
        self.header = header.text()
    }

    /// The private key as PEM (unencrypted PKCS #8), to be stored with the tokens.
    public var pem: Secret { Secret(self.key.pemRepresentation) }

    func sign(_ payload: [UInt8]) throws -> Secret {
        Secret(try self.key.sign(payload: payload, headerText: self.header))
    }
}

extension DPoPKey {
    /// Checks that a provider accepts proofs with the key's algorithm.
    ///
    /// - Throws: `dpopAlgorithm` if `algorithms` does not contain it. If `algorithms` is nil, the provider does not
    ///   list any.
    package func checkAlgorithm(supported algorithms: [String]?) throws {
        guard let algorithms, !algorithms.contains(self.algorithm.rawValue) else { return }
        throw ProtocolViolationError(
            .dpopAlgorithm,
            expected: "\(self.algorithm) in dpop_signing_alg_values_supported",
            actual: algorithms.isEmpty ? "none" : algorithms.joined(separator: " ")
        )
    }
}

extension DPoPKey: Hashable, Redacted {
    /// Returns whether two keys have the same public key and algorithm.
    public static func == (left: Self, right: Self) -> Bool {
        left.thumbprint == right.thumbprint && left.algorithm == right.algorithm
    }
    /// Hashes the thumbprint.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.thumbprint) }
    /// The algorithm, without the key.
    public var description: String { "DPoP key \(self.algorithm)" }
}
