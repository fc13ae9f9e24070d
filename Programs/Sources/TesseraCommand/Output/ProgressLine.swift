// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A bar on standard error that fills while a person looks; nothing where nobody does, or where it would be over at once.
struct ProgressLine {
    private static let width = 30
    private let title: String
    private let total: Int
    private var done = 0
    private var drawn = -1

    init(_ title: String, total: Int) {
        self.title = title
        self.total = total
    }

    private var isShown: Bool { Console.isTerminal && self.total >= 20 }

    /// One more is done.
    mutating func advance() {
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
    func end() {
        if self.isShown, self.drawn >= 0 { StatusLine.clear() }
    }
}
