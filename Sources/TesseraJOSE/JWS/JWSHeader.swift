// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON
internal import TesseraSupport

/// The header of a signed token.
///
/// The header is read before the signature is verified, so use it only to choose a key. Any keys and URLs in it (`jwk`,
/// `jku`, `x5c`, `x5u`) are ignored.
///
/// - SeeAlso: [RFC 7515, section 4](https://www.rfc-editor.org/rfc/rfc7515.html#section-4)
public struct JWSHeader: Sendable, Hashable {
    /// The signature algorithm (`alg`).
    public let algorithm: JWSAlgorithm
    /// The ID of the key (`kid`).
    public let keyID: String?
    /// The type of the token (`typ`) in its original spelling.
    ///
    /// Compare it case-insensitively.
    public let type: String?
    /// All members in the header.
    public let fields: JSONValue

    init(parsing bytes: [UInt8]) throws(ProtocolViolationError) {
        do {
            self.fields = try JSONValue(parsing: bytes, limits: JSONLimits(maximumDepth: 32))
        } catch {
            throw Self.violation("the header to be a JSON object", error.description)
        }
        guard self.fields.kind == .object else {
            throw Self.violation("the header to be a JSON object", self.fields.description)
        }
        for name in ["crit", "b64"] where self.fields[name] != nil {
            throw ProtocolViolationError(.jwsCritical, expected: "a header without extensions", actual: name)
        }
        guard let algorithm = try Self.text("alg", in: self.fields) else {
            throw Self.violation("alg in the header", "none")
        }
        guard algorithm.lowercased() != "none" else {
            throw ProtocolViolationError(
                .jwsAlgorithm,
                expected: "a signed token",
                actual: algorithm,
                section: "RFC 8725, section 3.2"
            )
        }
        self.algorithm = JWSAlgorithm(rawValue: algorithm)
        self.keyID = try Self.text("kid", in: self.fields)
        self.type = try Self.text("typ", in: self.fields)
    }

    private static func text(_ name: String, in fields: JSONValue) throws(ProtocolViolationError) -> String? {
        guard let value = fields[name] else { return nil }
        guard let text = value.string else { throw Self.violation("\(name) to be a string", value.description) }
        return text
    }

    private static func violation(_ expected: String, _ actual: String) -> ProtocolViolationError {
        ProtocolViolationError(.jwsFormat, expected: expected, actual: actual, section: "RFC 7515, section 4")
    }

    /// The last parsed header, along with its text.
    ///
    /// Tokens signed with the same key usually have identical headers. Without this cache, parsing the header would
    /// account for a tenth of the time needed for a token, excluding the signature. Identical texts have identical
    /// headers, so no check is skipped.
    private static let latest = Mutex<(text: [UInt8], header: JWSHeader)?>(nil)
    private static let longestStored = 1_024

    /// Returns the header that is encoded in base64url text, or nil if the text is not canonical.
    static func read(_ text: ArraySlice<UInt8>) throws(ProtocolViolationError) -> JWSHeader? {
        let known = Self.latest.withLock { latest -> JWSHeader? in
            guard let latest, latest.text.withSpan({ $0.isExactly(text.span) }) else { return nil }
            return latest.header
        }
        if let known { return known }
        guard let bytes = Base64URL.decode(utf8: Array(text)) else { return nil }
        let header = try JWSHeader(parsing: bytes)
        if text.count <= Self.longestStored { Self.latest.withLock { $0 = (Array(text), header) } }
        return header
    }

    /// Returns a header's members for signing.
    ///
    /// A member in `others` replaces the default with the same name.
    static func members(
        algorithm: String,
        keyID: String?,
        type: String?,
        replacedBy others: [JSONMember]
    ) -> [JSONMember] {
        let usual = [("alg", algorithm), ("kid", keyID), ("typ", type)]
            .compactMap { name, value in value.map { JSONMember(name: name, value: .string($0)) } }
        return usual.filter { member in !others.contains { $0.name == member.name } } + others
    }
}
