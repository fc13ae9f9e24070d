// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Builds Swift source code line by line.
struct SourceText {
    private(set) var text = ""
    private var depth: Int

    init(depth: Int = 0) { self.depth = depth }

    /// Appends a line of code.
    ///
    /// An empty line is not indented.
    ///
    /// Insert text from a document only through ``SwiftLiteral`` and ``SwiftName``.
    mutating func line(_ line: String = "") {
        if !line.isEmpty { self.text += String(repeating: "    ", count: self.depth) + line }
        self.text += "\n"
    }

    /// Appends a block between an opening and a closing line.
    mutating func block(_ opening: String, closing: String = "}", _ body: (inout SourceText) -> Void) {
        self.line(opening)
        self.depth += 1
        body(&self)
        self.depth -= 1
        self.line(closing)
    }

    /// Appends a declaration with a single-line comment.
    ///
    /// An empty line precedes it unless it is the first one in its type.
    mutating func declare(_ documentation: String, _ lines: String..., isFirst: Bool = false) {
        if !isFirst { self.line() }
        self.documentLine(documentation)
        for line in lines { self.line(line) }
    }

    /// Appends a single-line comment that is not a documentation comment.
    mutating func comment(_ text: String) { self.comment("//", CommentText(text)) }

    /// Appends a single-line documentation comment of any length.
    mutating func documentLine(_ text: String) { self.comment("///", CommentText(text)) }

    /// Appends a documentation comment in which each text is a wrapped paragraph.
    mutating func document(_ paragraphs: [String]) {
        var isFirst = true
        for paragraph in paragraphs where !paragraph.isEmpty {
            if !isFirst { self.line("///") }
            isFirst = false
            self.comment("///", CommentText(paragraph), width: 112 - self.depth * 4)
        }
    }

    /// Appends a list to a documentation comment, preceded by an empty line.
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

    /// Appends the lines of a comment, each with its prefix.
    private mutating func comment(_ mark: String, _ text: CommentText, width: Int = .max, _ others: String? = nil) {
        for (location, line) in text.lines(width: width).enumerated() {
            self.line((location == 0 ? mark : others ?? mark) + " " + line)
        }
    }
}

/// Swift string literals, through which all text from a document is written into code.
enum SwiftLiteral {
    /// Returns a single-line literal.
    static func quoted(_ text: String) -> String { "\"" + Self.escaped(text) + "\"" }

    /// Returns the escaped text for a single-line or multiline literal.
    ///
    /// Printable ASCII characters are unchanged, except for backslashes and quotation marks. All other scalars become
    /// `\u{…}`, so that text cannot end the literal, start an interpolation or a new line, combine with a quotation
    /// mark, or change the direction in which an editor displays the code.
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

    /// Returns the escape sequence for a scalar.
    static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{" + String(scalar.value, radix: 16) + "}" }
}

/// The imports that a file of generated code needs.
enum Imports {
    /// The types of aliases that need the runtime.
    private static let runtimeTypes = ["API", "JSONNode", "Timestamp", "CivilDate", "ProtoDuration", "FieldMask"]

    /// Returns the imports of a file.
    ///
    /// `isAlias` indicates that the file contains only an alias, which does not need the runtime if it is one of a Swift
    /// type.
    static func of(_ code: String, isAlias: Bool = false) -> [String] {
        let usesData = [": Data?", "[Data]", ": Data]", " = Data\n"].contains(where: code.contains)
        let foundation = [
            "#if canImport(FoundationEssentials)", "public import FoundationEssentials", "#else",
            "public import Foundation", "#endif",
        ]
        let usesRuntime = !isAlias || Self.runtimeTypes.contains(where: code.contains)
        return (usesData ? foundation : []) + (usesRuntime ? ["public import TesseraGoogleAPI"] : [])
    }
}

/// Attributes that determine which module small declarations are compiled into.
enum Emission {
    /// Compiles a declaration into the modules that use it.
    ///
    /// An API has thousands of properties and parameters. A program uses only a few of them, and only those add to its
    /// size.
    static let inClients = "@_alwaysEmitIntoClient"
}
