// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

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
    /// - Throws: ``ProtocolViolation`` with `jwsFormat`, `jwsAlgorithm`, `jwsCritical` or `jweUnsupported`.
    public init(parsing text: String) throws(ProtocolViolation) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumLength else {
            throw Self.violation("at most \(Self.maximumLength) bytes", "\(bytes.count)")
        }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count != 5 else {
            throw ProtocolViolation(
                .jweUnsupported,
                expected: "a signed token; encrypted tokens are not supported",
                actual: "5 parts",
                section: "RFC 7516, section 3.1"
            )
        }
        guard parts.count == 3 else {
            throw Self.violation("3 parts", "\(parts.count)")
        }
        guard let header = Base64URL.decode(utf8: parts[0]), let payload = Base64URL.decode(utf8: parts[1]),
            let signature = Base64URL.decode(utf8: parts[2])
        else {
            throw Self.violation("parts in canonical base64url", nil)
        }
        self.header = try JWSHeader(parsing: header)
        self.payload = payload
        self.signature = signature
        self.signingInput = Array(bytes[..<parts[1].endIndex])
    }

    private static func violation(_ expected: String, _ actual: String?) -> ProtocolViolation {
        ProtocolViolation(.jwsFormat, expected: expected, actual: actual, section: "RFC 7515, section 7.1")
    }
}

extension CompactJWS: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Only the algorithm.
    public var description: String { "JWS \(ProtocolViolation.printable(self.header.algorithm.rawValue))" }
    /// Only the algorithm.
    public var debugDescription: String { self.description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
