// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An attribute of an element.
struct HTMLAttribute: Sendable, Hashable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The attribute with its value quoted, and a space before it.
    var html: String { " \(self.name)=\"\(Self.escaped(self.value))\"" }

    /// Text without markup, whole, in an element or in a quoted attribute.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
