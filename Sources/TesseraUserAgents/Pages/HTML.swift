// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Text that stands in a page.
enum HTML {
    /// Text from outside, in an element: escaped, without control characters and bidirectional controls, its writing
    /// direction kept to itself.
    static func text(_ text: String) -> String { "<bdi>\(self.escaped(text))</bdi>" }

    /// Text from outside, also within a quoted attribute; at most `limit` characters of it.
    static func escaped(_ text: String, limit: Int = 500) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) where !scalar.properties.isBidiControl {
            let isSpace = scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
            result.append(isSpace ? " " : scalar)
        }
        return String(result).escapedForHTML
    }
}
