// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleGmailV1
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON

/// `tessera gmail ls`.
struct GmailListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists messages, the newest first.",
        discussion: """
            Examples:
              tessera gmail ls
              tessera gmail ls 'from:mia is:unread' --limit 50
            """
    )

    @Argument(help: ArgumentHelp("What is looked for, as in Gmail's search box.", valueName: "query"))
    var query: String?

    @Option(help: ArgumentHelp("At most so many messages.", valueName: "number"))
    var limit = 20

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if self.limit < 1 { throw ValidationError("--limit is at least 1.") }
    }

    func run() async throws {
        let messages = try await self.connection.connect { connection in
            let gmail: GmailV1 = connection.client()
            let list = gmail.users.messages.list(
                userId: "me",
                maxResults: UInt32(clamping: min(self.limit, 500)),
                q: self.query
            )
            var identifiers: [String] = []
            for try await message in list.items {
                guard identifiers.count < self.limit else { break }
                if let id = message.id { identifiers.append(id) }
            }
            let calls = identifiers.map { id in
                gmail.users.messages.get(
                    userId: "me",
                    id: id,
                    format: .metadata,
                    metadataHeaders: ["From", "To", "Subject", "Date"]
                )
            }
            return try await gmail.batch(calls).map { MailText(try $0.get()) }
        }
        self.output.result(["messages": .array(messages.map(\.json))], Self.table(messages))
    }

    private static func table(_ messages: [MailText]) -> TerminalText {
        var table = ColumnTable("ID", "DATE", "FROM", "SUBJECT")
        for message in messages {
            table.add(
                message.id,
                message.line("Date", limit: 31),
                message.line("From", limit: 40),
                message.line("Subject", limit: 80)
            )
        }
        return table.text
    }
}
