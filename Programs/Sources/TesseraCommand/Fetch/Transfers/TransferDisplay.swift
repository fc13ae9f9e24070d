// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraFetch
package import TesseraOAuth

/// A transfer as a person sees it: a bar with rate and time left where somebody looks, a line now and then in a pipe, and
/// nothing where it is over at once.
package final class TransferDisplay: Sendable {
    private struct State {
        let begunAt = ContinuousClock.now
        var shownAt: ContinuousClock.Instant?
        /// Where the present rate is measured from.
        var mark: (time: ContinuousClock.Instant, completed: Int64)?
        var rate: Double?
    }

    private let name: String
    private let state = Mutex(State())
    /// On a terminal it is drawn anew this often, and not before.
    private static let pause: Duration = .milliseconds(200)
    /// In a pipe there is a line this often.
    private static let longPause: Duration = .seconds(10)

    package init(_ name: String) { self.name = UntrustedText.printable(name) }

    /// Shows a transfer until it ends.
    package func follow(_ progress: TransferProgress) async {
        for await step in progress { self.show(step) }
        self.end()
    }

    /// A body that shows how far it has been taken.
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

    /// Leaves the line free.
    package func end() {
        let isShown = self.state.withLock { $0.shownAt != nil }
        if isShown, Console.isTerminal { StatusLine.clear() }
    }

    /// Bytes for each second, smoothed over the last few.
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
