// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Swift code without comments and without the text of literals, parsed like the compiler does.
///
/// Raw literals and interpolation are not supported, because generated code contains neither.
struct SwiftSkeleton {
    /// The code, in which each literal is replaced with an empty one.
    private(set) var code = ""
    /// The source text of each literal.
    private(set) var literals: [String] = []
    /// The source text of each comment.
    private(set) var comments: [String] = []
    /// Descriptions of content that generated code must not contain.
    private(set) var faults: [String] = []

    /// The nonempty lines of the code, without indentation.
    var lines: [Substring] {
        self.code.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
    }

    private var rest: Substring.UnicodeScalarView

    init(_ source: String) {
        self.rest = source[...].unicodeScalars
        while let scalar = self.rest.first {
            if self.starts(with: "//") {
                self.lineComment()
            } else if self.starts(with: "/*") {
                self.blockComment()
            } else if self.starts(with: "\"\"\"") {
                self.literal("\"\"\"")
            } else if scalar == "\"" {
                self.literal("\"")
            } else {
                if scalar != "\n", !(" "..."~" ~= scalar) {
                    self.faults.append("U+\(String(scalar.value, radix: 16)) in code")
                }
                self.code.unicodeScalars.append(self.rest.removeFirst())
            }
        }
    }

    private func starts(with text: String) -> Bool { self.rest.starts(with: text.unicodeScalars) }

    private mutating func lineComment() {
        let text = self.rest.prefix { $0 != "\n" && $0 != "\r" }
        for scalar in text {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse:
                self.faults.append("U+\(String(scalar.value, radix: 16)) in a comment")
            default: break
            }
        }
        self.comments.append(String(text))
        self.rest = self.rest[text.endIndex...]
    }

    private mutating func blockComment() {
        self.faults.append("a block comment")
        var depth = 0
        repeat {
            if self.starts(with: "/*") {
                depth += 1
                self.rest.removeFirst(2)
            } else if self.starts(with: "*/") {
                depth -= 1
                self.rest.removeFirst(2)
            } else {
                self.rest.removeFirst()
            }
        } while depth > 0 && !self.rest.isEmpty
    }

    private mutating func literal(_ quotes: String) {
        self.rest.removeFirst(quotes.count)
        var text = ""
        while !self.starts(with: quotes) {
            guard let scalar = self.rest.popFirst() else { return self.faults.append("a literal without an end") }
            text.unicodeScalars.append(scalar)
            if scalar == "\\" {
                guard let escaped = self.rest.popFirst() else { continue }
                text.unicodeScalars.append(escaped)
                if escaped == "(" { self.faults.append("an interpolation") }
            } else if scalar == "\n", quotes.count == 1 {
                return self.faults.append("a literal with a line break")
            } else if scalar != "\n", !(" "..."~" ~= scalar) {
                self.faults.append("U+\(String(scalar.value, radix: 16)) in a literal")
            }
        }
        self.rest.removeFirst(quotes.count)
        self.literals.append(text)
        self.code += "\"\""
    }
}
