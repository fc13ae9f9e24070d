// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension Unicode.Scalar {
    /// Whether the character is safe to display in a terminal.
    ///
    /// The value is false for control and format characters, which can move the cursor, change the writing direction or
    /// be invisible, for line and paragraph separators, and for code points without a fixed meaning.
    package var isPrintable: Bool {
        switch self.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }
}

extension String {
    /// Returns the text on one line, with each nonprintable character replaced by an escape such as `\u{1b}`.
    ///
    /// The result contains at most `limit` characters of the text, followed by an ellipsis if it was truncated.
    package func printable(limit: Int) -> String {
        // Printable ASCII, the most common case, does not need Unicode properties.
        if self.utf8.count <= limit, self.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return self }
        var result = ""
        var count = 0
        for scalar in self.unicodeScalars {
            if count == limit {
                result += "…"
                break
            }
            count += 1
            if scalar.isPrintable {
                result.unicodeScalars.append(scalar)
            } else {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        return result
    }

    /// Creates a string from UTF-8, or returns nil if the bytes are not well-formed.
    package init?(wellFormedUTF8 bytes: some Collection<UInt8>) {
        #if canImport(Darwin)
        // `String(validating:as:)` requires iOS 18 and macOS 15. Decoding replaces malformed sequences, so their
        // encoding differs.
        self.init(decoding: bytes, as: UTF8.self)
        guard self.utf8.elementsEqual(bytes) else { return nil }
        #else
        self.init(validating: bytes, as: UTF8.self)
        #endif
    }

    /// Creates a string from UTF-16, or returns nil if the code units are not well-formed.
    package init?(wellFormedUTF16 units: some Collection<UInt16>) {
        #if canImport(Darwin)
        self.init(decoding: units, as: UTF16.self)
        guard self.utf16.elementsEqual(units) else { return nil }
        #else
        self.init(validating: units, as: UTF16.self)
        #endif
    }

    /// The text escaped for use in an element or a quoted attribute.
    package var escapedForHTML: String {
        var result = ""
        for scalar in self.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\0": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension StringProtocol {
    /// Returns the text without whitespace and line breaks at its beginning and end.
    package func trimmingWhitespace() -> String {
        let start = self.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
