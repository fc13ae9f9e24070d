// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension StringProtocol {
    /// The number of columns that the text takes on a terminal.
    var columns: Int { self.reduce(0) { $0 + $1.columns } }

    /// The text within a number of columns, with an ellipsis in place of what does not fit.
    func fitted(to limit: Int) -> String {
        guard self.columns > limit else { return String(self) }
        var result = ""
        var rest = limit - 1
        for character in self {
            rest -= character.columns
            if rest < 0 { break }
            result.append(character)
        }
        return limit > 0 ? result + "…" : ""
    }

    /// The text with spaces behind it, up to a number of columns.
    func padded(to count: Int) -> String { self + String(repeating: " ", count: Swift.max(0, count - self.columns)) }
}

extension Character {
    /// 2 for what terminals show wide, 0 for a lone mark, else 1.
    ///
    /// - SeeAlso: [Unicode Standard Annex 11](https://www.unicode.org/reports/tr11/)
    fileprivate var columns: Int {
        guard let scalar = self.unicodeScalars.first else { return 0 }
        if self.unicodeScalars.contains(where: \.properties.isEmojiPresentation) { return 2 }
        // An emoji of text style is wide with this selector.
        if self.unicodeScalars.contains("\u{FE0F}"), scalar.properties.isEmoji { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return scalar.isWide ? 2 : 1
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character's East Asian width is W or F.
    fileprivate var isWide: Bool {
        switch self.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
            0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
