// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension Unicode.Scalar {
    /// Whether a terminal shows the character and does nothing else with it.
    ///
    /// False for control and format characters, which move the cursor, change the writing direction or show nothing, for
    /// line and paragraph separators, and for code points without a fixed meaning.
    package var isPrintable: Bool {
        switch self.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }
}

extension String {
    /// Returns the text on one line, with every character that is not printable as `\u{1b}`.
    ///
    /// At most `limit` characters are kept. An ellipsis replaces the rest.
    package func printable(limit: Int) -> String {
        // Printable ASCII, which most texts are, costs no look at Unicode's tables.
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
        // `String(validating:as:)` requires iOS 18 and macOS 15. Decoding replaces what is ill-formed, so that the text
        // encodes differently.
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

    /// The text without markup, for an element or a quoted attribute.
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
