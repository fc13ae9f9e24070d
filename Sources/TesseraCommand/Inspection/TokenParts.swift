// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON

/// A JWT that was taken apart, and of which nothing was verified.
struct TokenParts: Sendable {
    let header: JSONValue
    /// nil in an encrypted token, or where the payload is no object.
    let claims: JSONValue?
    let isEncrypted: Bool

    /// - Throws: `jwsFormat` for what is no JWT; nothing of the text is in the error.
    init(_ text: String) throws(ProtocolViolation) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard text.utf8.count <= CompactJWS.maximumLength, parts.count == 3 || parts.count == 5,
            let header = Self.object(parts[0])
        else {
            throw ProtocolViolation(
                .jwsFormat,
                expected: "a JWT: 3 parts in base64url, or 5 of an encrypted one",
                actual: "\(parts.count) part\(parts.count == 1 ? "" : "s")",
                section: "RFC 7515, section 7.1"
            )
        }
        self.header = header
        self.isEncrypted = parts.count == 5
        self.claims = self.isEncrypted ? nil : Self.object(parts[1])
    }

    private static func object(_ part: String) -> JSONValue? {
        guard let bytes = Base64URL.decode(part), let value = try? JSONValue(parsing: bytes), value.kind == .object
        else { return nil }
        return value
    }
}
#endif
