// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The line on a terminal that is drawn over and over: a wait, a transfer, a progress.
///
/// It fits into the terminal, however narrow that is by now: a line that wraps could not be drawn over, and the terminal
/// would scroll with each drawing.
package enum StatusLine {
    /// Draws the first text that fits, replacing the previous one.
    ///
    /// - Parameter texts: The texts from the longest to the shortest. Where none fits, the last one is cut.
    package static func draw(_ texts: [TerminalText]) {
        Console.noteRaw("\r\u{1B}[K" + Self.fitting(texts, columns: Console.columns))
    }

    /// Leaves the line free.
    package static func clear() { Console.noteRaw("\r\u{1B}[K") }

    /// The first text that leaves the last column free, in which terminals differ.
    package static func fitting(_ texts: [TerminalText], columns: Int) -> TerminalText {
        let limit = max(1, columns - 1)
        guard let text = texts.first(where: { $0.description.columns <= limit }) ?? texts.last else { return "" }
        return "\(text.description.fitted(to: limit))"
    }
}

/// A progress bar on standard error, shown only on a terminal and for longer work.
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

    /// One more is done.
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

    /// Leaves the line free.
    package func end() {
        if self.isShown, self.drawn >= 0 { StatusLine.clear() }
    }
}
