// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraSupport
public import TesseraJSON

/// A string that appears in no description, reflection or dump: every token, code, verifier and client secret is one.
///
/// Two secrets are equal when their text is. There is one way out, ``withUnredacted(_:)``; a reader of the code can
/// search for it.
///
/// - SeeAlso: [RFC 6749, section 10.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-10.3)
public struct Secret: Sendable, Hashable {
    private let value: String

    /// Wraps a text.
    ///
    /// There is no literal syntax, on purpose.
    public init(_ value: String) { self.value = value }

    /// Runs `body` with the secret in the clear.
    public func withUnredacted<Result, Failure: Error>(
        _ body: (String) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self.value)
    }

    /// The length in bytes.
    var length: Int { self.value.utf8.count }

    /// A text of somebody else's that may repeat the secret, with `<redacted>` in its place: as it is, in the form
    /// encoding, and in base64 of either alphabet.
    ///
    /// A text that was cut inside the secret loses the beginning of it too.
    package func removed(from text: String) -> String {
        guard !self.value.isEmpty else { return text }
        // By bytes: a combining mark behind the secret makes one Character with its end.
        var bytes = Array(text.utf8)
        for form in self.forms { bytes = Self.replacing(Array(form.utf8), in: bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A name of somebody else's, such as an error's code, that may be the secret.
    ///
    /// A secret of less than eight bytes is left in it: it would take names apart that mean something, and hides nothing.
    package func removed(fromName name: String) -> String {
        self.length < 8 ? name : self.removed(from: name)
    }

    /// The spellings in which a server may have read it.
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
        // Cut by whoever made the text: what is left of the secret is less than all of it, and still too much.
        let end = result.suffix(3) == Array("…".utf8)[...] ? result.count - 3 : result.count
        for count in stride(from: min(form.count - 1, end), through: 8, by: -1)
        where result[(end - count)..<end].elementsEqual(form[..<count]) {
            return result[..<(end - count)] + mark + result[end...]
        }
        return result
    }
}

extension Secret: Redacted {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }
}
