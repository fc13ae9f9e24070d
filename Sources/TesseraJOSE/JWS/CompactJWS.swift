// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON
internal import TesseraSupport

/// A signed token in compact form, taken apart and not yet verified.
///
/// Its description never shows contents.
///
/// - SeeAlso: [RFC 7515, section 7.1](https://www.rfc-editor.org/rfc/rfc7515.html#section-7.1)
public struct CompactJWS: Sendable, Hashable {
    /// The longest token that is read, in bytes.
    public static let maximumLength = 1 << 16

    /// The header, unverified.
    public let header: JWSHeader
    /// The payload: worth nothing until ``verify(with:)`` returns.
    public let payload: [UInt8]
    /// The signature.
    public let signature: [UInt8]
    /// What the signature is over: the first two parts and the dot between them.
    public let signingInput: [UInt8]

    /// Takes a token apart.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwsFormat`, `jwsAlgorithm`, `jwsCritical` or `jweUnsupported`.
    public init(parsing text: String) throws(ProtocolViolationError) {
        var bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumLength else {
            throw Self.violation("at most \(Self.maximumLength) bytes", "\(bytes.count)")
        }
        // A dot too many is found by decoding: it is not of the alphabet.
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
        // What is left of the text: shortened in place, not copied.
        bytes.removeSubrange(second...)
        self.signingInput = bytes
    }

    private static let dot = UInt8(ascii: ".")

    /// What is wrong with a text that could not be taken apart.
    private static func malformed(_ bytes: [UInt8]) -> ProtocolViolationError {
        let count = bytes.count { $0 == Self.dot } + 1
        if count == 5, Self.isEncrypted(bytes) {
            return ProtocolViolationError(
                .jweUnsupported,
                expected: "a signed token; encrypted tokens are not supported",
                actual: "5 parts"
            )
        }
        return count == 3
            ? Self.violation("parts in canonical base64url", nil) : Self.violation("3 parts", "\(count)")
    }

    /// Whether five parts have the form of an encrypted token, a JWE: all in base64url, the first not empty.
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
    /// Only the algorithm.
    public var description: String { "JWS \(self.header.algorithm.rawValue.printable(limit: 200))" }
}

extension CompactJWS {
    /// Returns only if the signature is the key's, by the algorithm of the header.
    ///
    /// The caller decides beforehand which algorithms it accepts at all; a key is never used with an algorithm that
    /// is not for its type and curve, nor against its own `alg`, `use` or `key_ops`.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwsAlgorithm` or `jwsSignature`.
    /// - SeeAlso: [RFC 8725, section 3.1](https://www.rfc-editor.org/rfc/rfc8725.html#section-3.1)
    public func verify(with key: JWK) throws(ProtocolViolationError) {
        let algorithm = self.header.algorithm
        guard key.canVerify(algorithm) else {
            throw ProtocolViolationError(
                .jwsAlgorithm,
                expected: "an algorithm for the key",
                actual: algorithm.rawValue
            )
        }
        guard key.material.isValid(self.signature, for: self.signingInput, by: algorithm) else {
            throw ProtocolViolationError(.jwsSignature, expected: "a signature by the provider's key")
        }
    }

    /// The payload as a set of claims; verify first.
    ///
    /// - Throws: ``ProtocolViolationError`` with `jwtClaims` when the payload is no JSON object, or has two members of one
    ///   name.
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
            expected: "a JSON object with distinct members as payload",
            actual: actual,
            section: "RFC 7519, sections 4 and 7.2"
        )
    }
}
