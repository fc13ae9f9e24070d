// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A paragraph of a comment: the only way in which a document's text gets into one.
///
/// Line breaks of every kind become spaces between words, so that nothing leaves the comment. Characters that cannot be
/// seen are written as numbers. DocC reads comments as Markdown, so everything that would start another block or refer to
/// something else is escaped: directives, headings, lists, quotations, tables, HTML, images, links to symbols and links
/// to anything but the web. Emphasis, code and links to the web keep their meaning.
struct CommentText {
    private struct Word {
        /// The word as it is written.
        var text = ""
        /// How many characters it has in the document.
        var width = 0
    }

    private enum Kind {
        case plain
        /// Part of a code span, or of a backslash and the punctuation that it escapes.
        case verbatim
        /// Needs a backslash.
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

    /// The words in lines of at most so many characters; a longer word has a line of its own.
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

    /// The first word of a line, escaped where it would start a block of Markdown or a directive of DocC.
    private static func withoutBlock(_ word: String) -> String {
        if let first = word.utf8.first, "@>|".utf8.contains(first) || word.hasPrefix("~~~") { return "\\" + word }
        // The marks of headings, lists, rules and the second line of a table.
        if word.utf8.allSatisfy({ "#-+*=_:|".utf8.contains($0) }) { return "\\" + word }
        // The number of a list's item.
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
        // The backticks that can end a code span of one backtick, the last one first.
        var closings = scalars.indices.filter { Self.isSingleBacktick(scalars, $0) }.reversed().map(\.self)
        var place = 0
        while place < scalars.count {
            let next = place + 1 < scalars.count ? scalars[place + 1] : " "
            var end = place + 1
            switch scalars[place] {
            case "\\" where Self.isPunctuation(next):
                end += 1
                for escaped in place..<end { kinds[escaped] = .verbatim }
            case "`" where Self.isSingleBacktick(scalars, place):
                while let closing = closings.last, closing <= place { closings.removeLast() }
                guard let closing = closings.last else { break }
                end = closing + 1
                for code in place..<end { kinds[code] = .verbatim }
            case "`":
                // Several start a block of code, or are a link to a symbol.
                kinds[place] = .markup
            case "<" where next.isASCII && (next.properties.isAlphabetic || "/!?".unicodeScalars.contains(next)),
                "!" where next == "[":
                kinds[place] = .markup
            case "]" where next == ":" || next == "(" && !Self.isWebLink(scalars[(place + 2)...]):
                end += 1
                kinds[place + 1] = .markup
            default: break
            }
            place = end
        }
        return kinds
    }

    private static func isSingleBacktick(_ scalars: [Unicode.Scalar], _ place: Int) -> Bool {
        scalars[place] == "`" && (place == 0 || scalars[place - 1] != "`")
            && (place + 1 == scalars.count || scalars[place + 1] != "`")
    }

    private static func isWebLink(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
        ["https://", "http://"].contains { rest.starts(with: $0.unicodeScalars) }
    }

    private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
        "!"..."/" ~= scalar || ":"..."@" ~= scalar || "["..."`" ~= scalar || "{"..."~" ~= scalar
    }
}
