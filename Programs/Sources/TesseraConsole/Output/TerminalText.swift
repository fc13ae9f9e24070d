// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

/// Text that the command prints for users: every report, table, notice and error.
///
/// Interpolated values are escaped by `UntrustedText.printable(_:limit:)`, so that no name, scope or message from a
/// server can control the terminal or forge a line. Only string literals in this program and interpolated
/// `TerminalText` values, which are already escaped, can have line breaks and escape sequences. Since ``Console``
/// prints nothing else, text is escaped only here.
package struct TerminalText: ExpressibleByStringInterpolation, Sendable, CustomStringConvertible {
    package private(set) var description: String

    package init(stringLiteral value: String) { self.description = value }

    package init(stringInterpolation: StringInterpolation) { self.description = stringInterpolation.text }

    /// Creates text with several lines, and escapes everything except line feeds.
    package init(lines text: some StringProtocol) {
        self.description = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { UntrustedText.printable(String($0), limit: .max) }
            .joined(separator: "\n")
    }

    package static func + (left: Self, right: Self) -> Self { "\(left)\(right)" }

    /// Collects literals unchanged and interpolated values with escapes.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { self.text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { self.text += literal }

        package mutating func appendInterpolation(_ text: TerminalText) { self.text += text.description }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            self.text += UntrustedText.printable(value.description, limit: .max)
        }
    }
}

extension Sequence<TerminalText> {
    package func joined(separator: TerminalText = "") -> TerminalText {
        self.reduce(nil as TerminalText?) { result, text in result.map { $0 + separator + text } ?? text } ?? ""
    }
}

/// Escapes bytes from a response for output to a terminal.
///
/// Line feeds, with or without a preceding carriage return, and tabs are unchanged. All other characters that are not
/// printable are escaped as by `UntrustedText.printable(_:limit:)`, and bytes that are not UTF-8 are replaced by
/// U+FFFD.
package struct TerminalFilter: Sendable {
    /// An incomplete character, or a carriage return that may be followed by a line feed.
    private var pending: [UInt8] = []

    /// Returns the next bytes in a form that is safe for the terminal.
    package mutating func filtered(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = self.pending + bytes
        let count = Self.unfinished(bytes)
        self.pending = Array(bytes.suffix(count))
        bytes.removeLast(count)
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
            .map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false)
                    .map { UntrustedText.printable(String($0), limit: .max) }.joined(separator: "\t")
            }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// Returns the number of trailing bytes that belong to an incomplete sequence.
    private static func unfinished(_ bytes: [UInt8]) -> Int {
        if bytes.last == 0x0D { return 1 }
        let continuations = bytes.reversed().prefix(3).prefix { 0x80...0xBF ~= $0 }.count
        guard continuations < bytes.count, case let lead = bytes[bytes.count - continuations - 1],
            0xC2...0xF4 ~= lead
        else { return 0 }
        let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
        return length > continuations + 1 ? continuations + 1 : 0
    }
}

extension StringProtocol {
    /// The number of columns that the text occupies on a terminal.
    package var columns: Int { self.reduce(0) { $0 + $1.columns } }

    /// Returns the text truncated to a number of columns, with an ellipsis if it does not fit.
    package func fitted(to limit: Int) -> String {
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

    /// Returns the text padded with trailing spaces to a number of columns.
    package func padded(to count: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, count - self.columns))
    }
}

extension String {
    /// The text without leading and trailing whitespace.
    package var trimmingWhitespace: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

extension Character {
    /// The number of columns on a terminal: 2 for a wide character, 0 for a standalone combining mark, and 1 otherwise.
    ///
    /// - SeeAlso: [Unicode Standard Annex 11](https://www.unicode.org/reports/tr11/)
    fileprivate var columns: Int {
        guard let scalar = self.unicodeScalars.first else { return 0 }
        if self.unicodeScalars.contains(where: \.properties.isEmojiPresentation) { return 2 }
        // This selector makes an emoji with text presentation wide.
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
