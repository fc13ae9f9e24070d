// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// A way by which the person hands the redirect over by hand while the listener waits.
public struct PastedRedirects: Sendable {
    /// Starts to read and gives the lines; reading ends when the stream is let go of.
    public var lines: @Sendable () -> AsyncStream<String>
    /// Tells the person why a line was not taken.
    ///
    /// Nothing of the line is in the message.
    public var refuse: @Sendable (_ message: String) -> Void

    /// Redirects from any source of lines.
    public init(
        lines: @escaping @Sendable () -> AsyncStream<String>,
        refuse: @escaping @Sendable (_ message: String) -> Void
    ) {
        self.lines = lines
        self.refuse = refuse
    }

    /// Redirects typed or pasted into this process's terminal, without echo; see ``TerminalPaste``.
    public static func standardInput(
        refuse: @escaping @Sendable (_ message: String) -> Void
    ) -> PastedRedirects {
        PastedRedirects(lines: { TerminalPaste.lines() }, refuse: refuse)
    }
}

extension PastedRedirects {
    /// Queues what the user pastes, until nothing more can be read or the task is cancelled.
    func read(for redirectURI: String, into queue: RedirectQueue) async {
        for await line in self.lines() {
            let text = String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
            if text.isEmpty { continue }
            guard let redirect = Self.address(text, redirectURI) else {
                // A code alone does not tell which sign-in it belongs to.
                self.refuse("Paste the whole address from the browser's address bar, beginning with \(redirectURI)")
                continue
            }
            let received = Redirect(.redirect(redirect)) { reply in
                guard case .unrelated(let reason) = reply else { return }
                self.refuse("This is not the answer to this sign-in: \(reason)")
            }
            queue.post(.redirect(received))
        }
    }

    /// The address that a text is; nil if it is not one.
    private static func address(_ text: String, _ redirectURI: String) -> String? {
        if text.contains("://") || text.hasPrefix(redirectURI) { return text }
        // Browsers do not show the scheme, and some do not copy it.
        let withScheme = "http://\(text)"
        return withScheme.hasPrefix(redirectURI) ? withScheme : nil
    }
}
