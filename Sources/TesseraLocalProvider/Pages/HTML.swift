// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// Markup.
///
/// Text that is interpolated into it is escaped; only other markup goes in as it is.
struct HTML: Sendable, ExpressibleByStringInterpolation {
    var text: String

    init(stringLiteral value: String) { self.text = value }
    init(stringInterpolation: StringInterpolation) { self.text = stringInterpolation.text }
    private init(text: String) { self.text = text }
    /// Markup of our own that no outside text is part of.
    init(trusted text: String) { self.text = text }

    /// Pieces, one after the other.
    static func joined(_ pieces: [HTML]) -> HTML { HTML(text: pieces.map(\.text).joined(separator: "\n")) }

    /// Text in which no character has a meaning in markup or in a quoted attribute.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\0": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        init(literalCapacity: Int, interpolationCount: Int) { self.text.reserveCapacity(literalCapacity) }
        mutating func appendLiteral(_ literal: String) { self.text += literal }
        mutating func appendInterpolation(_ text: String) { self.text += HTML.escaped(text) }
        mutating func appendInterpolation(_ number: Int) { self.text += String(number) }
        mutating func appendInterpolation(_ markup: HTML) { self.text += markup.text }
    }
}
#endif
