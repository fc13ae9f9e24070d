// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The line on a terminal that is drawn over and over: a wait, a transfer, a progress.
///
/// It fits into the terminal, however narrow that is by now: a line that wraps could not be drawn over, and the terminal
/// would scroll with each drawing.
enum StatusLine {
    /// Draws the first of these texts that fits, in place of what was drawn before.
    ///
    /// - Parameter texts: The texts from the longest to the shortest. Where none fits, the last one is cut.
    static func draw(_ texts: [TerminalText]) {
        Console.noteRaw("\r\u{1B}[K" + Self.fitting(texts, columns: Console.columns))
    }

    /// Leaves the line free.
    static func clear() { Console.noteRaw("\r\u{1B}[K") }

    /// The first text that leaves the last column free, in which terminals differ.
    static func fitting(_ texts: [TerminalText], columns: Int) -> TerminalText {
        let limit = max(1, columns - 1)
        guard let text = texts.first(where: { $0.description.columns <= limit }) ?? texts.last else { return "" }
        return "\(text.description.fitted(to: limit))"
    }
}
