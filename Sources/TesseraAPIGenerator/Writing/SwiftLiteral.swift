// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
