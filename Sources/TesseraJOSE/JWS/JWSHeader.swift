// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON
internal import TesseraSupport

/// The header of a signed token.
///
/// It is read before the signature is verified: trust it for choosing a key only.
///
/// Keys and addresses in it (`jwk`, `jku`, `x5c`, `x5u`) are neither used nor fetched.
///
/// - SeeAlso: [RFC 7515, section 4](https://www.rfc-editor.org/rfc/rfc7515.html#section-4)
public struct JWSHeader: Sendable, Hashable {
    /// The signature algorithm, `alg`.
    public let algorithm: JWSAlgorithm
    /// The name of the key, `kid`.
    public let keyID: String?
    /// What kind of token it is, `typ`, as it was written: compare it without regard to case.
    public let type: String?
    /// All members.
    public let fields: JSONValue

    init(parsing bytes: [UInt8]) throws(ProtocolViolationError) {
        do {
            self.fields = try JSONValue(parsing: bytes, limits: JSONLimits(maximumDepth: 32))
        } catch {
            throw Self.violation("a JSON object as header", error.description)
        }
        guard self.fields.kind == .object else {
            throw Self.violation("a JSON object as header", self.fields.description)
        }
        for name in ["crit", "b64"] where self.fields[name] != nil {
            throw ProtocolViolationError(.jwsCritical, expected: "a header without extensions", actual: name)
        }
        guard let algorithm = try Self.text("alg", in: self.fields) else {
            throw Self.violation("a header with alg", "none")
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
        guard let text = value.string else { throw Self.violation("\(name) as a string", value.description) }
        return text
    }

    private static func violation(_ expected: String, _ actual: String) -> ProtocolViolationError {
        ProtocolViolationError(.jwsFormat, expected: expected, actual: actual, section: "RFC 7515, section 4")
    }

    /// The header that was read last, beside its text.
    ///
    /// The tokens that a key signs have one header, to the byte; reading it anew would be a tenth of what a token costs
    /// beside its signature. Equal texts mean equal headers, so that nothing is skipped that could turn out otherwise.
    private static let latest = Mutex<(text: [UInt8], header: JWSHeader)?>(nil)
    private static let longestKept = 1_024

    /// Reads a header in base64url; nil when it is not in its canonical form.
    static func read(_ text: ArraySlice<UInt8>) throws(ProtocolViolationError) -> JWSHeader? {
        let known = Self.latest.withLock { latest -> JWSHeader? in
            guard let latest, latest.text.withSpan({ $0.isExactly(text.span) }) else { return nil }
            return latest.header
        }
        if let known { return known }
        guard let bytes = Base64URL.decode(utf8: Array(text)) else { return nil }
        let header = try JWSHeader(parsing: bytes)
        if text.count <= Self.longestKept { Self.latest.withLock { $0 = (Array(text), header) } }
        return header
    }

    /// The members of the header of a token that is about to be signed; a further member replaces one of its name.
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
