// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a program tells the person while the browser is open, or when it cannot be opened.
public struct PresentationNotice: Sendable, Hashable {
    /// What became of the browser.
    public enum Browser: Sendable, Hashable {
        /// It was started by this program.
        case opened(program: String)
        /// It was not: the person opens the address by hand; the text says why.
        case notOpened(reason: String)
    }

    /// The address to open.
    ///
    /// It holds the attempt's state: for the person, not for a log.
    public let url: URL
    /// Where the answer is expected, for instance `http://127.0.0.1:40123/`.
    public let redirectURI: String
    /// The port of ``redirectURI``.
    public let port: UInt16
    /// What became of the browser.
    public let browser: Browser
    /// The command, for the person's own machine, that carries the redirect home: over SSH, and where no browser was
    /// to be opened.
    ///
    /// Nil elsewhere.
    public let tunnelCommand: String?
    /// Whether a pasted redirect is read.
    public let acceptsPaste: Bool

    /// Plain words for a terminal, several lines.
    public var text: String {
        var lines: [String] = []
        switch self.browser {
        case .opened:
            lines.append("Your browser was opened to sign you in. If you do not see it, open this address:")
        case .notOpened(let reason):
            lines.append("\(reason). Open this address in a browser:")
        }
        lines += ["", "  \(self.url.absoluteString)", ""]
        if let tunnelCommand {
            lines += [
                "Is that browser on another machine? Run this there first, and the answer finds its way:", "",
                "  \(tunnelCommand)", "",
            ]
        }
        if self.acceptsPaste {
            lines.append(
                """
                Or, when the browser cannot reach \(self.redirectURI), copy the whole address that it shows then, \
                paste it here and press Return. It is not shown.
                """
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
