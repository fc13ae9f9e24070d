// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraSupport

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

/// Where the program runs, as far as a browser is concerned; read from the environment.
struct RemoteTerminal {
    /// Whether the person sits at another machine, without a display of this one.
    let isRemote: Bool
    /// Whether a graphical browser could appear.
    let hasDisplay: Bool
    private let destination: String
    private let sshPort: String?

    init(environment: [String: String], hostName: @autoclosure () -> String? = Self.hostName) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        self.hasDisplay = value("DISPLAY") != nil || value("WAYLAND_DISPLAY") != nil
        self.isRemote = (value("SSH_CONNECTION") ?? value("SSH_TTY")) != nil && !self.hasDisplay
        // "client address, client port, server address, server port"
        let connection = (value("SSH_CONNECTION") ?? "").split(separator: " ").map(String.init)
        // Shells set HOSTNAME, but do not export it.
        let host =
            (connection.count == 4 ? Self.plain(connection[2]) : nil) ?? Self.plain(value("HOSTNAME"))
            ?? Self.plain(hostName()) ?? "host"
        let user = Self.plain(value("USER")) ?? Self.plain(value("LOGNAME")) ?? "user"
        self.destination = "\(user)@\(host)"
        self.sshPort = connection.count == 4 && connection[3] != "22" ? Self.plain(connection[3]) : nil
    }

    /// What to run on the person's machine so that its browser reaches the listener here.
    func tunnelCommand(host: String, port: UInt16) -> String {
        let options = self.sshPort.map { " -p \($0)" } ?? ""
        return "ssh\(options) -L \(port):\(host):\(port) \(self.destination)"
    }

    /// What this machine calls itself.
    private static var hostName: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        // The last byte stays 0: a name that is too long may come without its end.
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The text where it can stand in a command line as it is.
    private static func plain(_ text: String?) -> String? {
        guard let text, !text.isEmpty, !text.hasPrefix("-") else { return nil }
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F, 0x25: true
            default: false
            }
        }
        return isPlain ? text : nil
    }
}
