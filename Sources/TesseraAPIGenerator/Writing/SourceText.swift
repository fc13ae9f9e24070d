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

    /// A declaration with a comment of one line, after a blank line unless it is the first of its type.
    mutating func declare(_ documentation: String, _ lines: String..., isFirst: Bool = false) {
        if !isFirst { self.line() }
        self.documentLine(documentation)
        for line in lines { self.line(line) }
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

/// String literals of Swift: the only way in which a document's text gets into code.
enum SwiftLiteral {
    /// A literal of one line.
    static func quoted(_ text: String) -> String { "\"" + Self.escaped(text) + "\"" }

    /// The text as it is written within a literal, of one line or of several.
    ///
    /// Printable ASCII stays, except for the backslash and the quotation mark. Every other scalar becomes `\u{…}`, so that
    /// nothing ends the literal, starts an interpolation or a line, combines with a quotation mark or changes the
    /// direction in which an editor shows the code.
    static func escaped(_ text: String) -> String {
        var literal = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "\"": literal += "\\" + String(scalar)
            case " "..."~": literal.unicodeScalars.append(scalar)
            default: literal += Self.escape(scalar)
            }
        }
        return literal
    }

    /// A scalar as its number.
    static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{" + String(scalar.value, radix: 16) + "}" }
}

/// What a file of generated code has to import.
enum Imports {
    static func of(_ code: String) -> [String] {
        guard code.contains(": Data?") || code.contains("[Data]") || code.contains(": Data]") else {
            return ["public import TesseraGoogleAPI"]
        }
        return [
            "#if canImport(FoundationEssentials)", "public import FoundationEssentials", "#else",
            "public import Foundation", "#endif", "public import TesseraGoogleAPI",
        ]
    }
}

/// Where the code of small declarations ends up.
enum Emission {
    /// In the programs that use them: an API has thousands of properties and parameters, of which a program uses some
    /// dozens, and only those cost it anything.
    static let inClients = "@_alwaysEmitIntoClient"
}
