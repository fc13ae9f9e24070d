// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
package import TesseraFetch
package import TesseraOAuth

/// The progress display for a transfer.
///
/// On a terminal, it is a bar with the rate and the time left. In a pipe, it is an occasional line. Nothing is shown
/// for short transfers.
package final class TransferDisplay: Sendable {
    private struct State {
        let begunAt = ContinuousClock.now
        var shownAt: ContinuousClock.Instant?
        /// The start of the current rate measurement.
        var mark: (time: ContinuousClock.Instant, completed: Int64)?
        var rate: Double?
    }

    private let name: String
    private let state = Mutex(State())
    /// The delay before the bar is first drawn on a terminal, and between updates.
    private static let pause: Duration = .milliseconds(200)
    /// The delay before each line if standard error is not a terminal.
    private static let longPause: Duration = .seconds(10)

    package init(_ name: String) { self.name = UntrustedText.printable(name) }

    /// Shows a transfer until it ends.
    package func follow(_ progress: TransferProgress) async {
        for await step in progress { self.show(step) }
        self.end()
    }

    /// Returns a body that shows its progress while it is being consumed.
    package func watching(_ body: HTTPBody) -> HTTPBody {
        HTTPBody(length: body.length, isReplayable: body.isReplayable) {
            var (chunks, completed) = (body.makeAsyncIterator(), Int64(0))
            return {
                guard let chunk = try await chunks.next() else { return nil }
                completed += Int64(chunk.count)
                self.show(TransferProgress.Step(completed: completed, total: body.length))
                return chunk
            }
        }
    }

    func show(_ step: TransferProgress.Step) {
        let now = ContinuousClock.now
        let pause = Console.isTerminal ? Self.pause : Self.longPause
        let rate = self.state.withLock { state -> Double?? in
            Self.measure(step.completed, at: now, &state)
            guard now - (state.shownAt ?? state.begunAt) >= pause else { return nil }
            state.shownAt = now
            return .some(state.rate)
        }
        guard let rate else { return }
        if Console.isTerminal {
            let line = TransferLine(name: self.name, step: step, rate: rate)
            StatusLine.draw(line.texts(columns: Console.columns))
        } else {
            Console.note("tessera: \(TransferLine(name: self.name, step: step, rate: rate).text)")
        }
    }

    /// Clears the status line.
    package func end() {
        let isShown = self.state.withLock { $0.shownAt != nil }
        if isShown, Console.isTerminal { StatusLine.clear() }
    }

    /// Measures the rate in bytes per second, smoothed over the last few measurements.
    private static func measure(_ completed: Int64, at now: ContinuousClock.Instant, _ state: inout State) {
        guard let mark = state.mark, completed >= mark.completed else {
            state.mark = (now, completed)
            return
        }
        let seconds = (now - mark.time) / .seconds(1)
        guard seconds >= 0.5 else { return }
        let rate = Double(completed - mark.completed) / seconds
        state.rate = state.rate.map { $0 * 0.7 + rate * 0.3 } ?? rate
        state.mark = (now, completed)
    }
}

/// A transfer's progress as text or as a bar.
package struct TransferLine {
    var name: String
    var step: TransferProgress.Step
    /// The rate in bytes per second, or nil if it is unknown.
    var rate: Double?

    /// The progress as text, such as `photo.jpg: 45 % of 1.2 GB, 23.4 MB/s, 0:31 left`.
    var text: String { "\(self.name): " + self.facts.joined(separator: ", ") }

    /// Returns lines from the longest, such as `photo.jpg  ████░░░░  45 %  1.2 GB  23.4 MB/s  0:31 left`, to the
    /// shortest.
    func texts(columns: Int) -> [TerminalText] {
        let facts = self.facts.joined(separator: "  ")
        let name = self.name.fitted(to: max(8, columns / 3))
        var texts: [TerminalText] = []
        let width = min(30, columns - name.columns - facts.columns - 5)
        if let share, width >= 8 {
            let filled = Int(Double(width) * share)
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
            texts.append("\(name)  \(bar)  \(facts)")
        }
        return texts + ["\(name)  \(facts)", "\(facts)", "\(self.facts.first ?? "")"]
    }

    private var facts: [String] {
        var facts: [String] = []
        if let share, let total = self.step.total {
            // Show 100 % only when the transfer is complete.
            facts.append("\(self.step.completed == total ? 100 : min(99, Int(share * 100))) % of \(Self.size(total))")
        } else {
            facts.append(Self.size(self.step.completed))
        }
        if let rate { facts.append(Self.size(Int64(rate)) + "/s") }
        if let total = self.step.total, let rate, rate >= 1 {
            facts.append(Self.clock(Double(total - self.step.completed) / rate) + " left")
        }
        return facts
    }

    private var share: Double? {
        guard let total = self.step.total, total > 0 else { return nil }
        return min(1, max(0, Double(self.step.completed) / Double(total)))
    }

    /// Returns a size with a decimal unit, such as `999 B`, `1.0 kB`, `23.4 MB` or `1.2 GB`.
    package static func size(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var (value, unit) = (Double(bytes), 0)
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        // A value that rounds to a thousand is shown in the next unit.
        while value >= 999.95, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// Returns a duration, such as `0:31`, `12:05` or `3:00:10`.
    static func clock(_ seconds: Double) -> String {
        guard seconds < 360_000 else { return "days" }
        let whole = Int(max(0, seconds).rounded(.up))
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        if whole >= 3600 { return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))" }
        return "\(whole / 60):\(two(whole % 60))"
    }
}
