// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

#if LocalProvider
/// How mail says in ASCII what is not ASCII (RFC 2045, section 6; RFC 2047).
enum MailCoding {
    /// The bytes of a part with a transfer encoding; what cannot be decoded stays as it is.
    static func decode(_ content: ArraySlice<UInt8>, encoding: String?) -> [UInt8] {
        switch encoding?.fieldValue {
        case "base64": MailBase64.decode(content) ?? Array(content)
        case "quoted-printable": self.quotedPrintable(content)
        default: Array(content)
        }
    }

    /// A field's value with its encoded words decoded, those of UTF-8 and ASCII.
    static func decode(_ value: String) -> String {
        guard value.contains("=?") else { return value }
        var result = ""
        var wasEncoded = false
        for word in value.split(separator: " ", omittingEmptySubsequences: false) {
            let text = self.encodedWord(word)
            // The space between two encoded words belongs to neither.
            if !result.isEmpty, !(wasEncoded && text != nil) { result += " " }
            result += text ?? String(word)
            wasEncoded = text != nil
        }
        return result
    }

    private static func encodedWord(_ word: Substring) -> String? {
        guard word.hasPrefix("=?"), word.hasSuffix("?=") else { return nil }
        let parts = word.dropFirst(2).dropLast(2).split(separator: "?", omittingEmptySubsequences: false)
        guard parts.count == 3, ["utf-8", "us-ascii"].contains(parts[0].lowercased()) else { return nil }
        switch parts[1].lowercased() {
        case "b":
            return MailBase64.decode(parts[2].utf8).flatMap { String(wellFormedUTF8: $0) }
        case "q":
            let text = Array(parts[2].replacing("_", with: " ").utf8)
            return String(wellFormedUTF8: self.quotedPrintable(text[...]))
        default:
            return nil
        }
    }

    private static func quotedPrintable(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = content
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                result.append(byte)
                continue
            }
            if rest.starts(with: Array("\r\n".utf8)) {
                rest = rest.dropFirst(2)
            } else if rest.first == UInt8(ascii: "\n") {
                rest = rest.dropFirst()
            } else if let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count > 1 {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
#endif
