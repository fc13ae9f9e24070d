// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Swift code that is being written, line by line.
struct SourceText {
    private(set) var text = ""
    private var depth: Int

    init(depth: Int = 0) { self.depth = depth }

    /// A line of code; an empty one has no indentation.
    ///
    /// A document's text gets into it through ``SwiftLiteral`` and ``SwiftName`` alone.
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

    /// A comment of one line that is not documentation.
    mutating func comment(_ text: String) { self.comment("//", CommentText(text)) }

    /// A documentation comment of one line, however long it is.
    mutating func documentLine(_ text: String) { self.comment("///", CommentText(text)) }

    /// A documentation comment: each text is a paragraph of its own, broken into lines.
    mutating func document(_ paragraphs: [String]) {
        var isFirst = true
        for paragraph in paragraphs where !paragraph.isEmpty {
            if !isFirst { self.line("///") }
            isFirst = false
            self.comment("///", CommentText(paragraph), width: 112 - self.depth * 4)
        }
    }

    /// Items of a documentation comment's list, after a blank line.
    mutating func documentList(_ heading: StaticString?, _ items: [String], isWrapped: Bool = true) {
        guard !items.isEmpty else { return }
        let width = isWrapped ? 106 - self.depth * 4 : .max
        self.line("///")
        if let heading { self.line("/// \(heading)") }
        let indent = heading == nil ? "" : "  "
        for item in items {
            self.comment("/// " + indent + "-", CommentText(item), width: width, "/// " + indent + " ")
        }
    }

    /// Writes the lines of a comment, each after its mark.
    private mutating func comment(_ mark: String, _ text: CommentText, width: Int = .max, _ others: String? = nil) {
        for (place, line) in text.lines(width: width).enumerated() {
            self.line((place == 0 ? mark : others ?? mark) + " " + line)
        }
    }
}
