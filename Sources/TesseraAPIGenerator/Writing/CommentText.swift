// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A comment paragraph, through which all text from a document is written into comments.
///
/// Line breaks of any kind become spaces, so that the text cannot break out of the comment. Invisible characters are
/// written as numbers. Because DocC interprets comments as Markdown, all syntax that would start a new block or refer
/// to something else is escaped. This includes directives, headings, lists, quotations, tables, HTML, images, links to
/// symbols, and links to anything but the web. Emphasis, code and web links are preserved.
struct CommentText {
    private struct Word {
        /// The escaped word.
        var text = ""
        /// The number of characters in the original word.
        var width = 0
    }

    private enum Kind {
        case plain
        /// A part of a code span, or of a backslash and the punctuation it escapes.
        case verbatim
        /// A character that must be escaped with a backslash.
        case markup
    }

    private let words: [Word]

    init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        let kinds = Self.kinds(of: scalars)
        var (words, word, original) = ([Word](), Word(), "")
        for (scalar, kind) in zip(scalars + [" "], kinds + [.plain]) {
            if scalar.properties.isWhitespace {
                guard !original.isEmpty else { continue }
                word.width = original.count
                words.append(word)
                (word, original) = (Word(), "")
                continue
            }
            original.unicodeScalars.append(scalar)
            if scalar.isPrintable {
                word.text += (kind == .markup ? "\\" : "") + String(scalar)
            } else {
                word.text += SwiftLiteral.escape(scalar)
            }
        }
        self.words = words
    }

    /// Returns the words arranged in lines of at most `width` characters.
    ///
    /// A longer word gets its own line.
    func lines(width: Int = .max) -> [String] {
        var (lines, line, length) = ([String](), "", 0)
        for word in self.words {
            if !line.isEmpty, word.width >= width - length {
                lines.append(line)
                (line, length) = ("", 0)
            }
            line += line.isEmpty ? Self.withoutBlock(word.text) : " " + word.text
            length += word.width + (length == 0 ? 0 : 1)
        }
        return line.isEmpty ? lines : lines + [line]
    }

    /// Returns the first word of a line, escaped if it would start a Markdown block or a DocC directive.
    private static func withoutBlock(_ word: String) -> String {
        if let first = word.utf8.first, "@>|".utf8.contains(first) || word.hasPrefix("~~~") { return "\\" + word }
        // Markers for headings, lists, rules and the second line of a table.
        if word.utf8.allSatisfy({ "#-+*=_:|".utf8.contains($0) }) { return "\\" + word }
        // The number of an item in an ordered list.
        guard let last = word.last, last == "." || last == ")", word.count > 1,
            word.utf8.dropLast().allSatisfy({ 0x30...0x39 ~= $0 })
        else { return word }
        return word.dropLast() + "\\" + String(last)
    }
}

// MARK: - Markup within a line

extension CommentText {
    private static func kinds(of scalars: [Unicode.Scalar]) -> [Kind] {
        var kinds = [Kind](repeating: .plain, count: scalars.count)
        // The single backticks that can end a code span, in reverse order.
        var closings = scalars.indices.filter { Self.isSingleBacktick(scalars, $0) }.reversed().map(\.self)
        var location = 0
        while location < scalars.count {
            let next = location + 1 < scalars.count ? scalars[location + 1] : " "
            var end = location + 1
            switch scalars[location] {
            case "\\" where Self.isPunctuation(next):
                end += 1
                for escaped in location..<end { kinds[escaped] = .verbatim }
            case "`" where Self.isSingleBacktick(scalars, location):
                while let closing = closings.last, closing <= location { closings.removeLast() }
                guard let closing = closings.last else { break }
                end = closing + 1
                for code in location..<end { kinds[code] = .verbatim }
            case "`":
                // Multiple backticks start a code block or a link to a symbol.
                kinds[location] = .markup
            case "<" where next.isASCII && (next.properties.isAlphabetic || "/!?".unicodeScalars.contains(next)),
                "!" where next == "[":
                kinds[location] = .markup
            case "]" where next == ":" || next == "(" && !Self.isWebLink(scalars[(location + 2)...]):
                end += 1
                kinds[location + 1] = .markup
            default: break
            }
            location = end
        }
        return kinds
    }

    private static func isSingleBacktick(_ scalars: [Unicode.Scalar], _ location: Int) -> Bool {
        scalars[location] == "`" && (location == 0 || scalars[location - 1] != "`")
            && (location + 1 == scalars.count || scalars[location + 1] != "`")
    }

    private static func isWebLink(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
        ["https://", "http://"].contains { rest.starts(with: $0.unicodeScalars) }
    }

    private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
        "!"..."/" ~= scalar || ":"..."@" ~= scalar || "["..."`" ~= scalar || "{"..."~" ~= scalar
    }
}
