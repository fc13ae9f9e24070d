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
}
