// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraUserAgents

/// Shows the progress of a sign-in on standard error.
///
/// On a terminal, a status line counts the seconds.
final class SignInProgress: Sendable {
    private let state = Mutex<Task<Void, Never>?>(nil)
    private let isVerbose: Bool

    init(isVerbose: Bool) { self.isVerbose = isVerbose }

    /// Reports that the browser was opened or that the user has to open it.
    func announce(_ notice: PresentationNotice) {
        self.stopCounting()
        let opened: Bool
        if case .opened(let program) = notice.browser, !Console.isTerminal, !self.isVerbose {
            Console.note("tessera: Opened \(program). Sign in there to continue.")
            opened = true
        } else {
            Console.note(TerminalText(lines: notice.text))
            opened = false
        }
        if self.isVerbose { Console.note("tessera: Listening at \(notice.redirectURI)") }
        if Console.isTerminal, !opened {
            self.startCounting { seconds in
                [
                    "Waiting for you to finish in the browser … \(seconds) s (press Ctrl-C to cancel)",
                    "Waiting for you to finish in the browser … \(seconds) s", "Waiting for the browser … \(seconds) s",
                    "Waiting … \(seconds) s",
                ]
            }
        }
    }

    /// Counts down the remaining time on a terminal after the URL and the code have been shown.
    func awaitDecision(within lifetime: Int64) {
        guard Console.isTerminal else { return }
        self.startCounting { seconds in
            let left = TimeText.left(lifetime - seconds)
            return [
                "Waiting for your decision … \(left) (press Ctrl-C to cancel)", "Waiting for your decision … \(left)",
                "Waiting … \(left)", "\(left)",
            ]
        }
    }

    /// Reports that a pasted line was not the redirect.
    func refused(_ message: String) {
        if Console.isTerminal { StatusLine.clear() }
        Console.note("tessera: \(message)")
    }

    /// Stops the timer and clears the status line.
    func stopCounting() {
        let task = self.state.withLock { task in
            defer { task = nil }
            return task
        }
        guard let task else { return }
        task.cancel()
        StatusLine.clear()
    }

    /// Updates the status line once per second with the longest text that fits.
    private func startCounting(_ texts: @escaping @Sendable (_ seconds: Int64) -> [TerminalText]) {
        let clock = ContinuousClock()
        let start = clock.now
        let task = Task {
            while !Task.isCancelled {
                let seconds = start.duration(to: clock.now).components.seconds
                StatusLine.draw(texts(seconds))
                guard (try? await clock.sleep(for: .seconds(1))) != nil else { return }
            }
        }
        self.state.withLock { $0 = task }
    }
}
