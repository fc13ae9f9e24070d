// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Functions for text from a server, a redirect or a file.
///
/// Such text can contain escape sequences that control a terminal, line breaks that forge log entries, and characters
/// that change the order in which text is displayed. The descriptions of Tessera's errors are already safe to print.
/// Call ``printable(_:limit:)`` before you print or log a name, an email address, a scope or an error description
/// yourself.
public enum UntrustedText {
    /// Returns the text on a single line with all control and format characters escaped.
    ///
    /// Line breaks, tabs, escape characters, writing-direction marks, zero-width characters, and unassigned and
    /// private-use characters are replaced by Unicode escapes, such as `\u{1b}`. Other characters are unchanged.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - limit: The maximum number of Unicode scalars. An ellipsis replaces the rest. Defaults to 200.
    /// - Returns: The text without characters that control a terminal.
    public static func printable(_ text: String, limit: Int = 200) -> String { text.printable(limit: limit) }
}
