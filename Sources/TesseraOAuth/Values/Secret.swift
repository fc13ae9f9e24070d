// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraSupport
public import TesseraJSON

/// A secret string, such as a token, code, verifier or client secret, which descriptions, reflection and dumps do not
/// reveal.
///
/// Secrets are equal if their strings are equal. Only ``withUnredacted(_:)`` provides access to the string, so uses of
/// secrets are easy to find.
///
/// - SeeAlso: [RFC 6749, section 10.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-10.3)
public struct Secret: Sendable, Hashable {
    private let value: String

    /// Creates a secret from a string.
    ///
    /// Literals are deliberately not supported.
    public init(_ value: String) { self.value = value }

    /// Calls `body` with the secret in plaintext.
    public func withUnredacted<Result, Failure: Error>(
        _ body: (String) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self.value)
    }

    /// The length in UTF-8 bytes.
    var length: Int { self.value.utf8.count }

    /// Returns external text with `<redacted>` in place of the secret.
    ///
    /// The secret is also replaced if it is form-encoded or encoded in either base64 alphabet. If the text was
    /// truncated in the middle of the secret, the remaining part of the secret is replaced as well.
    package func removed(from text: String) -> String {
        guard !self.value.isEmpty else { return text }
        // Compare bytes, because a combining mark after the secret would form a Character with its last character.
        var bytes = Array(text.utf8)
        for form in self.forms { bytes = Self.replacing(Array(form.utf8), in: bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns an external name, such as an error code, with `<redacted>` in place of the secret.
    ///
    /// A secret shorter than 8 bytes is not replaced, because that would destroy unrelated names without hiding
    /// anything.
    package func removed(fromName name: String) -> String {
        self.length < 8 ? name : self.removed(from: name)
    }

    /// The encodings in which a server may repeat the secret.
    private var forms: Set<String> {
        let encoded = FormParameters.encode(self.value)
        let base64 = Base64.encode(Array(self.value.utf8))
        return [
            self.value, encoded, encoded.replacing("+", with: "%20"), Self.lowerCaseEscapes(encoded),
            String(base64.prefix { $0 != "=" }), Base64URL.encode(self.value.utf8),
        ]
    }

    private static func lowerCaseEscapes(_ encoded: String) -> String {
        encoded.split(separator: "%", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset == 0 ? String($0.element) : $0.element.prefix(2).lowercased() + $0.element.dropFirst(2) }
            .joined(separator: "%")
    }

    private static func replacing(_ form: [UInt8], in text: [UInt8]) -> [UInt8] {
        let mark = Array("<redacted>".utf8)
        var result: [UInt8] = []
        var rest = text[...]
        while let byte = rest.first {
            if rest.starts(with: form) {
                result += mark
                rest = rest.dropFirst(form.count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        // If the text was truncated, also remove an incomplete secret at its end, because not even a part must be
        // revealed.
        let end = result.suffix(3) == Array("…".utf8)[...] ? result.count - 3 : result.count
        for count in stride(from: min(form.count - 1, end), through: 8, by: -1)
        where result[(end - count)..<end].elementsEqual(form[..<count]) {
            return result[..<(end - count)] + mark + result[end...]
        }
        return result
    }
}

extension Secret: Redacted {
    /// The fixed text `<redacted>`.
    public var description: String { "<redacted>" }
}
