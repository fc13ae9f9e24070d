// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraCommand

/// Tells the story: a line with a check mark and its time for each step, details indented below.
struct Narrator: Sendable {
    private let hasColour: Bool
    private let clock = ContinuousClock()
    private static let width = 78

    /// Colour on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
    init() {
        func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        self.hasColour = isatty(1) == 1 && value("NO_COLOR").isEmpty && value("TERM") != "dumb"
    }

    /// Does a step, and says with its words how long it took.
    @discardableResult
    func step<Result>(_ body: () async throws -> (words: String, result: Result)) async throws -> Result {
        let begun = self.clock.now
        let (line, result) = try await body()
        let time = Self.text(begun.duration(to: self.clock.now))
        let gap = String(repeating: " ", count: max(2, Self.width - line.count - time.count))
        self.say("  \(self.painted("✓", 32)) \(line)\(gap)\(self.painted(time, 2))")
        return result
    }

    /// A heading.
    func title(_ text: String) { self.say("\n\(self.painted(text, 1))") }

    /// A remark between steps.
    func note(_ text: String) { self.say("  " + self.painted(text, 2)) }

    /// Lines that belong to the step above.
    func detail(_ lines: [String]) { for line in lines { self.say("      \(line)") } }

    /// Something that the step above lacks.
    func missing(_ text: String) { self.say("      \(self.painted("✗", 33)) \(text)") }

    /// The end of the story that nobody wanted.
    func failed(_ error: any Error) {
        let advice = (error as? any ErrorGuidance)?.recoverySuggestion.map { ". " + $0 } ?? ""
        self.say("  \(self.painted("✗", 31)) \(error)\(advice)")
    }

    /// Rows under headings, each column as wide as its widest cell.
    func table(_ rows: [[String]]) {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        for (index, row) in rows.enumerated() {
            let line = row.enumerated()
                .map { column, cell in
                    column == row.count - 1
                        ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
                }
                .joined()
            self.say("      " + (index == 0 ? self.painted(line, 2) : line))
        }
    }

    static func text(_ duration: Duration) -> String {
        let milliseconds = Double(duration.components.seconds) * 1_000 + Double(duration.components.attoseconds) / 1e15
        if milliseconds < 10 { return "\((milliseconds * 10).rounded() / 10) ms" }
        if milliseconds < 1_000 { return "\(Int(milliseconds.rounded())) ms" }
        return "\((milliseconds / 100).rounded() / 10) s"
    }

    private func painted(_ text: String, _ code: Int) -> String {
        self.hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
