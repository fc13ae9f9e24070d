// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
