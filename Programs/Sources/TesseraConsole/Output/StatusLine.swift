// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The line on a terminal that is updated repeatedly during a wait or a transfer.
///
/// The line always fits the current width of the terminal. A line that wraps could not be overwritten, and the terminal
/// would scroll with each update.
package enum StatusLine {
    /// Draws the first text that fits, replacing the previous one.
    ///
    /// - Parameter texts: The texts from the longest to the shortest. If none fits, the last one is truncated.
    package static func draw(_ texts: [TerminalText]) {
        Console.noteRaw("\r\u{1B}[K" + Self.fitting(texts, columns: Console.columns))
    }

    /// Clears the line.
    package static func clear() { Console.noteRaw("\r\u{1B}[K") }

    /// Returns the first text that does not use the last column, in which terminals behave differently.
    package static func fitting(_ texts: [TerminalText], columns: Int) -> TerminalText {
        let limit = max(1, columns - 1)
        guard let text = texts.first(where: { $0.description.columns <= limit }) ?? texts.last else { return "" }
        return "\(text.description.fitted(to: limit))"
    }
}

/// A progress bar on standard error, shown only on a terminal and only for many items.
package struct ProgressLine {
    private static let width = 30
    private let title: String
    private let total: Int
    private var done = 0
    private var drawn = -1

    package init(_ title: String, total: Int) {
        self.title = title
        self.total = total
    }

    private var isShown: Bool { Console.isTerminal && self.total >= 20 }

    /// Counts one more item as completed.
    package mutating func advance() {
        self.done += 1
        let permille = self.done * 1000 / max(1, self.total)
        guard self.isShown, permille != self.drawn else { return }
        self.drawn = permille
        let filled = Self.width * self.done / self.total
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        let share = "\(self.done)/\(self.total)"
        StatusLine.draw(["\(self.title)  \(bar)  \(share)", "\(self.title)  \(share)", "\(share)"])
    }

    /// Clears the line.
    package func end() {
        if self.isShown, self.drawn >= 0 { StatusLine.clear() }
    }
}
