// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import Tessera
internal import TesseraJSON

/// `tessera scopes`: lists, and has `add` below it.
struct ScopesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scopes",
        abstract: "Lists the granted scopes, or asks for more.",
        discussion: """
            Examples:
              tessera scopes
              tessera scopes --json --account work
              tessera scopes add https://www.googleapis.com/auth/drive.readonly
            """,
        subcommands: [List.self, ScopesAddCommand.self],
        defaultSubcommand: List.self
    )

    /// `tessera scopes` itself.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the granted scopes, and those that were asked for and not granted.",
            discussion: """
                Examples:
                  tessera scopes
                  tessera scopes list --json
                """
        )

        @OptionGroup var account: AccountOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let (record, _) = try await self.account.record()
            self.output.result(ScopesCommand.json(record), ScopesCommand.text(record))
        }
    }

    static func json(_ record: SessionRecord) -> JSONNode {
        func list(_ scopes: [Scope]) -> JSONNode { .array(scopes.map { .string($0.rawValue) }) }
        return [
            "account": .string(AccountReport(record).name),
            "granted": list(record.grant.granted),
            "missing": list(record.grant.missing),
            "unrequested": list(record.grant.unrequested),
        ]
    }

    /// One scope per line, so that a script can read them; what is missing is marked.
    static func text(_ record: SessionRecord) -> TerminalText {
        let lines: [TerminalText] =
            record.grant.granted.map { "\($0.rawValue)" } + record.grant.missing.map { "\($0.rawValue)  (not granted)" }
        return lines.isEmpty ? "No scope was granted." : lines.joined(separator: "\n")
    }
}
