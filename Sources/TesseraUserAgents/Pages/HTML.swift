// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Text that stands in a page.
enum HTML {
    /// Text from outside, in an element: escaped, without control characters and bidirectional controls, its writing
    /// direction kept to itself.
    static func text(_ text: String) -> String { "<bdi>\(self.escaped(text))</bdi>" }

    /// Text from outside, also within a quoted attribute; at most `limit` characters of it.
    static func escaped(_ text: String, limit: Int = 500) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case _ where scalar.properties.isBidiControl: break
            case _ where scalar.properties.isWhitespace || scalar.properties.generalCategory == .control: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
