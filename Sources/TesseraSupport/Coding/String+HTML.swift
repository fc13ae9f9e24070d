// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension String {
    /// The text without markup, for an element or a quoted attribute.
    package var escapedForHTML: String {
        var result = ""
        for scalar in self.unicodeScalars {
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
}
