// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Swift code that is being written, line by line.
struct SourceText {
    private(set) var text = ""
    private var depth: Int

    init(depth: Int = 0) { self.depth = depth }

    /// A line; an empty one has no indentation.
    mutating func line(_ line: String = "") {
        if !line.isEmpty { self.text += String(repeating: "    ", count: self.depth) + line }
        self.text += "\n"
    }

    /// A line that opens a block, what stands in it, and the line that closes it.
    mutating func block(_ opening: String, closing: String = "}", _ body: (inout SourceText) -> Void) {
        self.line(opening)
        self.depth += 1
        body(&self)
        self.depth -= 1
        self.line(closing)
    }

    /// A documentation comment: each text is a paragraph of its own, broken into lines.
    mutating func document(_ paragraphs: [String]) {
        var isFirst = true
        for paragraph in paragraphs where !paragraph.isEmpty {
            if !isFirst { self.line("///") }
            isFirst = false
            for line in Self.wrapped(paragraph, width: 112 - self.depth * 4) { self.line("/// " + line) }
        }
    }

    /// Items of a documentation comment's list, after a blank line.
    mutating func documentList(_ heading: String?, _ items: [String]) {
        guard !items.isEmpty else { return }
        self.line("///")
        if let heading { self.line("/// " + heading) }
        let indent = heading == nil ? "" : "  "
        for item in items {
            let lines = Self.wrapped(item, width: 106 - self.depth * 4)
            for (place, line) in lines.enumerated() {
                self.line("/// " + indent + (place == 0 ? "- " : "  ") + line)
            }
        }
    }

    /// Words in lines of at most so many characters; a word that is longer has a line of its own.
    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
            var current = ""
            for word in line.split(whereSeparator: \.isWhitespace) {
                if !current.isEmpty, current.count + word.count + 1 > width {
                    lines.append(current)
                    current = ""
                }
                current += (current.isEmpty ? "" : " ") + word
            }
            if !current.isEmpty { lines.append(current) }
        }
        return lines
    }
}
