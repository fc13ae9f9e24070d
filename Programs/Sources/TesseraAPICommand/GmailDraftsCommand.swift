// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleGmailV1
internal import TesseraCommand
internal import TesseraConsole
internal import TesseraGoogleAPI
internal import TesseraJSON

/// `tessera gmail drafts`.
struct GmailDraftsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drafts",
        abstract: "List or create drafts",
        discussion: """
            Examples:
              tessera gmail drafts
              tessera gmail drafts create --to mia@example.com --subject Hello --file letter.txt
            """,
        subcommands: [List.self, Create.self],
        defaultSubcommand: List.self
    )

    /// `tessera gmail drafts ls`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List drafts, newest first",
            discussion: """
                Examples:
                  tessera gmail drafts ls
                  tessera gmail drafts ls subject:report --format csv
                """
        )

        @Argument(help: ArgumentHelp("A query, as in Gmail's search box.", valueName: "query"))
        var query: String?

        @Option(help: ArgumentHelp("The maximum number of drafts.", valueName: "number"))
        var limit = 20

        @OptionGroup var connection: ConnectionOptions
        @OptionGroup var list: ListOptions

        func validate() throws {
            if self.limit < 1 { throw ValidationError("--limit must be at least 1.") }
        }

        func run() async throws {
            let drafts = try await self.connection.connect(scopes: [GmailV1.Scope.gmailReadonly]) { connection in
                let gmail: GmailV1 = connection.client()
                let list = gmail.users.drafts.list(
                    userId: "me",
                    maxResults: UInt32(clamping: min(self.limit, 500)),
                    q: self.query
                )
                let found = try await list.items.first(self.limit, called: "drafts")
                let calls = found.compactMap(\.id)
                    .map { gmail.users.drafts.get(userId: "me", id: $0, format: .metadata) }
                return try await gmail.batch(calls).map { try $0.get() }
            }
            self.list.result(["drafts": .array(drafts.map { Self.json($0) })], Self.rows(drafts))
        }

        private static func json(_ draft: GmailV1.Draft) -> JSONNode {
            let mail = MailText(draft.message ?? GmailV1.Message())
            return [
                "id": .string(draft.id ?? ""), "messageId": .string(mail.id), "to": .string(mail.field("To")),
                "subject": .string(mail.field("Subject")), "date": .string(mail.field("Date")),
                "snippet": .string(draft.message?.snippet ?? ""),
            ]
        }

        private static func rows(_ drafts: [GmailV1.Draft]) -> ListRows {
            var rows = ListRows(["id": "ID", "messageId": nil, "date": nil, "to": "TO", "subject": "SUBJECT"])
            for draft in drafts {
                let mail = MailText(draft.message ?? GmailV1.Message())
                rows.add(
                    .init(draft.id),
                    .init(mail.id),
                    .init(mail.field("Date")),
                    .init(mail.field("To"), shown: mail.line("To", limit: 40)),
                    .init(mail.field("Subject"), shown: mail.line("Subject", limit: 80))
                )
            }
            return rows
        }
    }

    /// `tessera gmail drafts create`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a plain-text draft and print its identifier",
            discussion: """
                Reads the text from --file, or from standard input by default. The draft is not sent.

                Examples:
                  tessera gmail drafts create --to mia@example.com --subject Hello --file letter.txt
                """
        )

        @OptionGroup var letter: LetterOptions

        @OptionGroup var connection: BaseConnectionOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let (letter, user) = (try await self.letter.letter(), self.letter.actAs)
            let scopes = [GmailV1.Scope.gmailCompose]
            let made = try await self.connection.connect(as: user, scopes: scopes, writes: true) { connection in
                let gmail: GmailV1 = connection.client()
                let message = GmailV1.Message { $0.raw = Data(letter.bytes) }
                return try await gmail.users.drafts.create(GmailV1.Draft { $0.message = message }, userId: "me")
                    .execute()
            }
            self.output.result(made.node, "\(made.id ?? "")")
        }
    }
}
