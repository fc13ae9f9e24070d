// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Crypto
public import TesseraJSON

/// A provider's public key, which is either an RSA key or a key on P-256, P-384, P-521 or Ed25519.
///
/// Parsing checks that the key is usable, meaning that it is large enough or is a point on its curve. RSA keys with the
/// ROCA weakness (CVE-2017-15361), whose private key can be computed, are rejected. Private members are discarded.
///
/// - SeeAlso: [RFC 7517, section 4](https://www.rfc-editor.org/rfc/rfc7517.html#section-4)
public struct JWK: Sendable {
    /// The contents in a single object, so that copying a key for each token copies only a reference.
    private let contents: JWKContents

    /// The key type (`kty`).
    public var keyType: String { self.contents.keyType }
    /// The curve (`crv`), or nil for RSA.
    public var curve: String? { self.contents.curve }
    /// The intended use of the key (`use`), either `sig` or `enc`.
    public var use: String? { self.contents.use }
    /// The permitted operations (`key_ops`).
    public var keyOperations: [String]? { self.contents.keyOperations }
    /// The only algorithm with which the key can be used (`alg`).
    public var algorithm: JWSAlgorithm? { self.contents.algorithm }
    /// The ID of the key (`kid`).
    public var keyID: String? { self.contents.keyID }
    /// The thumbprint of the key, which is a SHA-256 hash in base64url.
    ///
    /// - SeeAlso: [RFC 7638](https://www.rfc-editor.org/rfc/rfc7638.html)
    public var thumbprint: String { self.contents.thumbprint }

    var material: JWKMaterial { self.contents.material }

    /// Creates a key from a JSON object.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwkFormat` if the type or curve is not supported, a member is missing
    ///   or has the wrong type, or the values do not form a usable key.
    public init(parsing value: JSONValue) throws(ProtocolViolationError) {
        self.contents = try JWKContents(parsing: value)
    }

    /// Creates a key from the bytes of a JSON object.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwkFormat` if the bytes are not a JSON object with distinct members, or
    ///   for the reasons of `init(parsing:)` with a `JSONValue`.
    public init(parsing bytes: [UInt8]) throws(ProtocolViolationError) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(maximumDepth: 32, maximumBytes: 1 << 20))
        } catch {
            throw Self.violation("a JSON object with distinct members", error.explanation(of: bytes))
        }
        guard value.kind == .object else { throw Self.violation("a JSON object", value.description) }
        try self.init(parsing: value)
    }

    /// Returns whether the key can verify signatures created with the given algorithm.
    ///
    /// The type and curve must match the algorithm, and `alg`, `use` and `key_ops` must allow it if they are present.
    public func canVerify(_ algorithm: JWSAlgorithm) -> Bool { self.contents.verifiable.contains(algorithm) }
}

extension JWK: Hashable {
    /// Returns whether two keys are equal, including their IDs, uses, algorithms and operations.
    public static func == (left: Self, right: Self) -> Bool {
        left.thumbprint == right.thumbprint && left.keyID == right.keyID && left.use == right.use
            && left.algorithm == right.algorithm && left.keyOperations == right.keyOperations
    }

    /// Hashes the thumbprint.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.thumbprint) }
}

/// The contents of a ``JWK``.
final class JWKContents: Sendable {
    let keyType: String
    let curve: String?
    let use: String?
    let keyOperations: [String]?
    let algorithm: JWSAlgorithm?
    let keyID: String?
    let thumbprint: String
    let material: JWKMaterial
    /// The algorithms with which the key can verify signatures.
    let verifiable: [JWSAlgorithm]

    init(parsing value: JSONValue) throws(ProtocolViolationError) {
        guard let keyType = try JWK.text("kty", in: value) else { throw JWK.violation("kty in the key", nil) }
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

extension JWK {
    static func text(_ name: String, in value: JSONValue) throws(ProtocolViolationError) -> String? {
        guard let member = value[name] else { return nil }
        guard let text = member.string else { throw Self.violation("\(name) to be a string", member.description) }
        return text
    }

    static func operations(in value: JSONValue) throws(ProtocolViolationError) -> [String]? {
        guard let member = value["key_ops"] else { return nil }
        let operations = member.elements?.compactMap(\.string) ?? []
        guard operations.count == member.elements?.count else {
            throw Self.violation("key_ops to be an array of strings", member.description)
        }
        return operations
    }

    static func material(
        _ keyType: String,
        _ curve: String,
        _ value: JSONValue
    ) throws(ProtocolViolationError) -> JWKMaterial {
        let key: JWKMaterial?
        switch keyType {
        case "RSA":
            let (modulus, exponent) = (try Self.number("n", in: value), try Self.number("e", in: value))
            key = try? JWKMaterial(modulus: modulus, exponent: exponent)
        case "EC" where ["P-256", "P-384", "P-521"].contains(curve):
            let (x, y) = (try Self.number("x", in: value), try Self.number("y", in: value))
            key = try? JWKMaterial(curve: curve, x: x, y: y)
        case "OKP" where curve == "Ed25519":
            let x = try Self.number("x", in: value)
            key = (try? Curve25519.Signing.PublicKey(rawRepresentation: x)).map(JWKMaterial.ed25519)
        default:
            throw Self.violation("a supported key type", "\(keyType) \(curve)")
        }
        guard let key else {
            throw Self.violation(
                "a usable public key (RSA from 2048 bits without the ROCA weakness, or a point on the curve)",
                keyType
            )
        }
        return key
    }

    static func violation(_ expected: String, _ actual: String?) -> ProtocolViolationError {
        ProtocolViolationError(.jwkFormat, expected: expected, actual: actual)
    }

    private static func number(_ name: String, in value: JSONValue) throws(ProtocolViolationError) -> [UInt8] {
        guard let text = try Self.text(name, in: value), let bytes = Base64URL.decode(text), !bytes.isEmpty else {
            throw Self.violation("\(name) to be base64url-encoded", nil)
        }
        return bytes
    }
}
