// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON
internal import TesseraSupport

/// An unverified signed token in compact form, split into its parts.
///
/// The token's description does not reveal its contents.
///
/// - SeeAlso: [RFC 7515, section 7.1](https://www.rfc-editor.org/rfc/rfc7515.html#section-7.1)
public struct CompactJWS: Sendable, Hashable {
    /// The maximum length of a token, in bytes.
    public static let maximumLength = 1 << 16

    /// The unverified header.
    public let header: JWSHeader
    /// The payload, which must not be trusted until `verify(with:algorithms:)` returns.
    public let payload: [UInt8]
    /// The signature of the token.
    public let signature: [UInt8]
    /// The bytes that were signed, which are the first two parts and the dot between them.
    public let signingInput: [UInt8]

    /// Creates a token from its text.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwsFormat`, `jwsAlgorithm`, `jwsCritical` or `jweUnsupported` if the
    ///   text is not an acceptable token.
    public init(parsing text: String) throws(ProtocolViolationError) {
        var bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumLength else {
            throw Self.violation("at most \(Self.maximumLength) bytes", "\(bytes.count)")
        }
        // Decoding rejects additional dots, because they are not in the alphabet.
        guard let first = bytes.withSpan({ $0.firstIndex(of: Self.dot, from: 0) }),
            let second = bytes.withSpan({ $0.firstIndex(of: Self.dot, from: first + 1) }),
            let payload = Base64URL.decode(utf8: Array(bytes[(first + 1)..<second])),
            let signature = Base64URL.decode(utf8: Array(bytes[(second + 1)...])),
            let header = try JWSHeader.read(bytes[..<first])
        else {
            throw Self.malformed(bytes)
        }
        self.header = header
        self.payload = payload
        self.signature = signature
        // Shorten the text in place instead of copying it.
        bytes.removeSubrange(second...)
        self.signingInput = bytes
    }

    private static let dot = UInt8(ascii: ".")

    /// Returns the error for text that cannot be split into three parts.
    private static func malformed(_ bytes: [UInt8]) -> ProtocolViolationError {
        let count = bytes.count { $0 == Self.dot } + 1
        if count == 5, Self.isEncrypted(bytes) {
            return ProtocolViolationError(
                .jweUnsupported,
                expected: "a signed token, because encrypted tokens are not supported",
                actual: "5 parts"
            )
        }
        return count == 3
            ? Self.violation("parts in canonical base64url", nil) : Self.violation("3 parts", "\(count)")
    }

    /// Returns whether the text looks like an encrypted token (JWE), with five base64url parts of which the first is
    /// not empty.
    ///
    /// - SeeAlso: [RFC 7516, section 9](https://www.rfc-editor.org/rfc/rfc7516.html#section-9)
    private static func isEncrypted(_ bytes: [UInt8]) -> Bool {
        let parts = bytes.split(separator: Self.dot, omittingEmptySubsequences: false)
        return !parts[0].isEmpty && parts.allSatisfy { Base64URL.decode(utf8: Array($0)) != nil }
    }

    private static func violation(_ expected: String, _ actual: String?) -> ProtocolViolationError {
        ProtocolViolationError(.jwsFormat, expected: expected, actual: actual)
    }
}

extension CompactJWS: Redacted {
    /// A description that contains only the algorithm.
    public var description: String { "JWS \(self.header.algorithm.rawValue.printable(limit: 200))" }
}

extension CompactJWS {
    /// Verifies the signature with a key, using the algorithm in the header.
    ///
    /// The caller must first check that it accepts the algorithm. A key is used only with algorithms for its type and
    /// curve that its `alg`, `use` and `key_ops` allow.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwsAlgorithm` if the key does not support the algorithm, or
    ///   `jwsSignature` if the signature is not valid.
    /// - SeeAlso: [RFC 8725, section 3.1](https://www.rfc-editor.org/rfc/rfc8725.html#section-3.1)
    public func verify(with key: JWK) throws(ProtocolViolationError) {
        let algorithm = self.header.algorithm
        guard key.canVerify(algorithm) else {
            throw ProtocolViolationError(
                .jwsAlgorithm,
                expected: "an algorithm that the key supports",
                actual: algorithm.rawValue
            )
        }
        guard key.material.isValid(self.signature, for: self.signingInput, by: algorithm) else {
            throw ProtocolViolationError(.jwsSignature, expected: "a signature by the provider's key")
        }
    }

    /// Verifies the signature with the only key of a set that can have produced it, using one of the given algorithms.
    ///
    /// - Parameters:
    ///   - keys: The keys of the expected signer.
    ///   - algorithms: The algorithms to accept. Name only those that the signer uses.
    /// - Returns: The key.
    /// - Throws: ``ProtocolViolationError`` with `jwsAlgorithm` if the token has another algorithm, or `jwsSignature` if
    ///   no key matches the header, if several keys do and the header has no `kid`, or if the signature is not valid.
    /// - SeeAlso: [RFC 8725, sections 3.1 and 3.10](https://www.rfc-editor.org/rfc/rfc8725.html#section-3.1)
    @discardableResult
    public func verify(
        with keys: JWKSet,
        algorithms: Set<JWSAlgorithm>
    ) throws(ProtocolViolationError) -> JWK {
        guard algorithms.contains(self.header.algorithm) else {
            throw ProtocolViolationError(
                .jwsAlgorithm,
                expected: "one of " + algorithms.map(\.rawValue).sorted().joined(separator: ", "),
                actual: self.header.algorithm.rawValue
            )
        }
        let candidates = keys.candidates(for: self.header)
        guard candidates.count == 1, let key = candidates.first else {
            throw ProtocolViolationError(
                .jwsSignature,
                expected: "exactly one key that matches the header",
                actual: "\(candidates.count)"
            )
        }
        try self.verify(with: key)
        return key
    }

    /// Verifies the authentication code with a shared secret, using the algorithm of the key.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwsAlgorithm` if the token has another algorithm, or `jwsSignature` if
    ///   the code is not valid or the secret is empty.
    /// - SeeAlso: [RFC 7518, section 3.2](https://www.rfc-editor.org/rfc/rfc7518.html#section-3.2)
    public func verify(with key: JWSMACKey) throws(ProtocolViolationError) {
        guard self.header.algorithm.rawValue == key.algorithm.rawValue else {
            throw ProtocolViolationError(
                .jwsAlgorithm,
                expected: key.algorithm.rawValue,
                actual: self.header.algorithm.rawValue
            )
        }
        guard key.isSigner(of: self) else {
            throw ProtocolViolationError(.jwsSignature, expected: "an authentication code by the shared key")
        }
    }

    /// Returns the claims in the payload.
    ///
    /// Call `verify(with:algorithms:)` first.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwtClaims` if the payload is not a JSON object or contains duplicate
    ///   names.
    public func claims() throws(ProtocolViolationError) -> JSONValue {
        let claims: JSONValue
        do {
            claims = try JSONValue(parsing: self.payload)
        } catch {
            throw Self.claimsViolation(error.description)
        }
        guard claims.kind == .object else { throw Self.claimsViolation(claims.description) }
        return claims
    }

    private static func claimsViolation(_ actual: String) -> ProtocolViolationError {
        ProtocolViolationError(
            .jwtClaims,
            expected: "the payload to be a JSON object with distinct members",
            actual: actual,
            section: "RFC 7519, sections 4 and 7.2"
        )
    }
}
