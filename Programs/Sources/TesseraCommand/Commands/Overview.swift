// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraConsole
internal import TesseraGoogle

/// The output of `tessera` without arguments on a terminal: who is signed in, and the commands that matter next.
enum Overview {
    /// Prints the overview, without network requests.
    static func show() async {
        let accounts: [SessionCatalog.Item]
        do {
            accounts = try await StoreOptions.open(nil).items()
        } catch {
            Console.note(ErrorReport(error).text)
            return Console.print(self.text("The sessions cannot be read.", Self.unreadable))
        }
        Console.print(self.text(Self.state(of: accounts), Self.commands(for: accounts)))
    }

    /// A command and what it does.
    typealias Suggestion = (command: String, purpose: String)

    static let unreadable: [Suggestion] = [
        ("tessera doctor", "find out why"), ("tessera store check", "check where sessions are stored"),
        ("tessera demo", "try a sign-in without an account"),
    ]

    /// Returns a sentence about the accounts, which marks the ones that need a sign-in.
    static func state(of items: [SessionCatalog.Item]) -> TerminalText {
        guard !items.isEmpty else { return "Not signed in." }
        let selected = SessionCatalog.selected(of: items)?.account
        let names = items.prefix(5)
            .map { item -> String in
                let isActive = item.readable?.tokens != nil
                let remark = isActive ? (item.account == selected && items.count > 1 ? " (default)" : "") : " (ended)"
                return UntrustedText.printable(item.name, limit: 60) + remark
            }
        let more = items.count > names.count ? " and \(items.count - names.count) more" : ""
        let verb = items.contains { $0.readable?.tokens != nil } ? "Signed in as" : "The session has ended:"
        return "\(verb) \(names.joined(separator: ", "))\(more)."
    }

    /// Returns the three commands that matter next.
    static func commands(for items: [SessionCatalog.Item]) -> [Suggestion] {
        guard !items.isEmpty else {
            return [
                ("tessera login", "sign in, or learn what a sign-in needs"),
                ("tessera demo", "try a sign-in without an account"),
                ("tessera import FILE", "use the sign-in of another tool"),
            ]
        }
        let active = items.filter { $0.readable?.tokens != nil }
        guard let record = active.first?.readable else {
            return [
                ("tessera doctor", "find out why"), ("tessera login", "sign in again"),
                ("tessera accounts", "list the accounts"),
            ]
        }
        let call: Suggestion =
            record.provider.recognizingGoogle.refreshTokenPolicy == .google
            ? ("tessera drive ls", "list files in Google Drive") : ("tessera fetch URL", "call an API")
        return [call, ("tessera token", "print an access token"), ("tessera status", "show scopes and token")]
    }

    private static func text(_ state: TerminalText, _ commands: [Suggestion]) -> TerminalText {
        let width = commands.map(\.command.count).max() ?? 0
        let lines = commands.map { "  \($0.command.padded(to: width))  \($0.purpose)" as TerminalText }
        return ([state, ""] + lines + ["", "Run 'tessera --help' to list all commands."]).joined(separator: "\n")
    }
}
