// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
public import TesseraJSON

/// The private key that tokens are bound to: a token that was stolen without it is worth nothing.
///
/// Make a new one for each account, so that no two accounts can be told to be one program's, and keep it with the tokens:
/// without it they cannot be used. Its descriptions show the algorithm only.
///
/// - SeeAlso: [RFC 9449, section 4.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-4.1)
public struct DPoPKey: Sendable {
    /// The algorithm that proofs are signed by.
    public let algorithm: JWSAlgorithm
    /// The hash of the public key (RFC 7638): `dpop_jkt` of a request, `jkt` of a bound token.
    public let thumbprint: String
    private let key: JWSSigningKey
    /// The header of every proof: the public key, and no private member of it.
    private let header: String

    /// Makes a new key from the system's random numbers.
    ///
    /// - Throws: `JWSSigningKeyError` for an algorithm that is not supported.
    public static func generate(_ algorithm: JWSAlgorithm = .es256) throws -> DPoPKey {
        Self(try JWSSigningKey.generate(algorithm))
    }

    /// Reads a key that was kept.
    ///
    /// - Parameters:
    ///   - pem: the private key (PKCS #8, unencrypted).
    ///   - algorithm: what it signs by; nil for the usual one of its type.
    /// - Throws: `JWSSigningKeyError`.
    public init(pem: Secret, algorithm: JWSAlgorithm? = nil) throws {
        self.init(try pem.withUnredacted { try JWSSigningKey(pem: $0, algorithm: algorithm) })
    }

    /// A key that the caller made.
    public init(_ key: JWSSigningKey) {
        self.key = key
        self.algorithm = key.algorithm
        self.thumbprint = key.thumbprint
        let header: JSONNode = [
            "typ": "dpop+jwt", "alg": .string(key.algorithm.rawValue), "jwk": key.barePublicJWK,
        ]
        self.header = header.text()
    }

    /// The private key as PEM (PKCS #8, unencrypted), to be kept with the tokens.
    public var pem: Secret { Secret(self.key.pemRepresentation) }

    func sign(_ payload: [UInt8]) throws -> Secret {
        Secret(try self.key.sign(payload: payload, headerText: self.header))
    }
}

extension DPoPKey {
    /// - Throws: `dpopAlgorithm` when a provider accepts proofs by `algorithms` and the key's is not one of them; nil:
    ///   the provider does not say.
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
    /// Whether both are the same key for the same algorithm.
    public static func == (left: Self, right: Self) -> Bool {
        left.thumbprint == right.thumbprint && left.algorithm == right.algorithm
    }
    /// Hashes the thumbprint.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.thumbprint) }
    /// Only the algorithm.
    public var description: String { "DPoP key \(self.algorithm)" }
}
