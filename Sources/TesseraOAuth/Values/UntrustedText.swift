// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Text that a server, a redirect or a file supplied.
///
/// Such text can hold escape sequences that drive a terminal, line breaks that forge a line of a log, and characters that
/// change the order in which text is read. Tessera's own error descriptions are printable already. Call
/// ``printable(_:limit:)`` before you print or log a name, an email address, a scope or an error description yourself.
public enum UntrustedText {
    /// Returns a text on one line, with every control and format character escaped.
    ///
    /// Line breaks, tabs, escape characters, writing-direction marks, zero-width characters and characters without a fixed
    /// meaning become their Unicode escapes, such as `\u{1b}`. All others are unchanged. A text that is printable already
    /// is returned unchanged, unless it is longer than `limit`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - limit: The number of Unicode scalars to keep. An ellipsis replaces the rest. Defaults to 200.
    /// - Returns: The text without characters that control a terminal.
    public static func printable(_ text: String, limit: Int = 200) -> String { text.printable(limit: limit) }
}
