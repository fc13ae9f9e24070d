// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraSupport

/// The information to show to the user when a browser has been opened or could not be opened.
public struct PresentationNotice: Sendable, Hashable {
    /// The result of opening the browser.
    public enum Browser: Sendable, Hashable {
        /// This program started the browser.
        case opened(program: String)
        /// The browser was not opened for the given reason, and the user must open the address.
        case notOpened(reason: String)
    }

    /// The address to open.
    ///
    /// The address contains the `state` of the sign-in. Show it to the user, but do not log it.
    public let url: URL
    /// The URI at which the redirect is expected, such as `http://127.0.0.1:40123/`.
    public let redirectURI: String
    /// The port of ``redirectURI``.
    public let port: UInt16
    /// The result of opening the browser.
    public let browser: Browser
    /// A command that the user can run on their machine to forward the redirect to this machine.
    ///
    /// The command is present over SSH or if no browser is to be opened. Otherwise, it is nil.
    public let tunnelCommand: String?
    /// Whether the program accepts a pasted redirect.
    public let acceptsPaste: Bool

    /// Instructions for a terminal, on several lines.
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
                "Is that browser on another machine? Run this command there first to forward the redirect:", "",
                "  \(tunnelCommand)", "",
            ]
        }
        if self.acceptsPaste {
            lines.append(
                """
                Or, if the browser cannot reach \(self.redirectURI), copy the whole address from its address bar, \
                paste it here and press Return. It is not displayed.
                """
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Where the program runs relative to the user's browser, as determined from the environment.
struct RemoteTerminal {
    /// Whether the user is working from another machine and has no access to a display on this one.
    let isRemote: Bool
    /// Whether a graphical browser can be displayed.
    let hasDisplay: Bool
    private let destination: String
    private let sshPort: String?

    init(environment: [String: String], hostName: @autoclosure () -> String? = Self.hostName) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        self.hasDisplay = value("DISPLAY") != nil || value("WAYLAND_DISPLAY") != nil
        self.isRemote = (value("SSH_CONNECTION") ?? value("SSH_TTY")) != nil && !self.hasDisplay
        // The value consists of the client's address and port and the server's address and port.
        let connection = (value("SSH_CONNECTION") ?? "").split(separator: " ").map(String.init)
        // Shells set HOSTNAME but do not export it.
        let host =
            (connection.count == 4 ? Self.plain(connection[2]) : nil) ?? Self.plain(value("HOSTNAME"))
            ?? Self.plain(hostName()) ?? "host"
        let user = Self.plain(value("USER")) ?? Self.plain(value("LOGNAME")) ?? "user"
        self.destination = "\(user)@\(host)"
        self.sshPort = connection.count == 4 && connection[3] != "22" ? Self.plain(connection[3]) : nil
    }

    /// Returns a command that lets the browser on the user's machine reach the listener on this machine.
    func tunnelCommand(host: String, port: UInt16) -> String {
        let options = self.sshPort.map { " -p \($0)" } ?? ""
        return "ssh\(options) -L \(port):\(host):\(port) \(self.destination)"
    }

    /// The name of this machine.
    private static var hostName: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        // A truncated name may not be terminated, so keep the last byte 0.
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the text if it is safe in a command line without quoting, or nil if it is not.
    private static func plain(_ text: String?) -> String? {
        guard let text, !text.isEmpty, !text.hasPrefix("-") else { return nil }
        return text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-.:_%".utf8.contains($0) } ? text : nil
    }
}
