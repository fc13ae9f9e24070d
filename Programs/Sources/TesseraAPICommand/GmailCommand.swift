// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import GoogleGmailV1
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth

/// `tessera gmail`.
struct GmailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: SiblingProgram.gmail.command,
        abstract: SiblingProgram.gmail.abstract,
        discussion: """
            Examples:
              tessera gmail ls is:unread
              tessera gmail get ID
              tessera gmail send --to mia@example.com --subject Hello --file letter.txt
              tessera gmail drafts create --to mia@example.com --subject Hello --file letter.txt
              tessera gmail attachments save ID
            """,
        subcommands: [
            GmailListCommand.self, GmailGetCommand.self, GmailSendCommand.self,
            GmailDraftsCommand.self, GmailAttachmentsCommand.self,
        ]
    )
}

/// `tessera gmail ls`.
struct GmailListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List messages, newest first",
        discussion: """
            Examples:
              tessera gmail ls
              tessera gmail ls 'from:mia is:unread' --limit 50
            """
    )

    @Argument(help: ArgumentHelp("A query, as in Gmail's search box.", valueName: "query"))
    var query: String?

    @Option(help: ArgumentHelp("The maximum number of messages.", valueName: "number"))
    var limit = 20

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var list: ListOptions

    func validate() throws {
        if self.limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        let messages = try await self.connection.connect(scopes: [GmailV1.Scope.gmailReadonly]) { connection in
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
        self.list.result(["messages": .array(messages.map(\.json))], MailText.rows(messages))
    }
}

/// `tessera gmail get`.
struct GmailGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Show a message",
        discussion: """
            With --raw, prints the original message (RFC 5322), including attachments. With --json, prints the \
            API's response.

            Examples:
              tessera gmail get ID
              tessera gmail get ID --raw > letter.eml
            """
    )

    @Argument(help: ArgumentHelp("The message's identifier.", valueName: "id"))
    var id: String

    @Flag(help: "Print the original message, byte for byte.")
    var raw = false

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if self.raw, self.output.json { throw ValidationError("--raw and --json cannot be used together.") }
    }

    func run() async throws {
        let message = try await self.connection.connect(scopes: [GmailV1.Scope.gmailReadonly]) { connection in
            let gmail: GmailV1 = connection.client()
            return try await gmail.users.messages.get(userId: "me", id: self.id, format: self.raw ? .raw : .full)
                .execute()
        }
        if self.raw {
            return try await OutputFile.open(nil).write(message.raw.map { Array($0) } ?? [])
        }
        self.output.result(message.node, MailText(message).text)
    }
}

/// A message's contents for display.
struct MailText: Sendable {
    private let message: GmailV1.Message

    init(_ message: GmailV1.Message) { self.message = message }

    var id: String { self.message.id ?? "" }

    /// Returns a header field, or an empty text if it is missing.
    func field(_ name: String) -> String {
        let fields = self.message.payload?.headers ?? []
        return fields.first { $0.name?.lowercased() == name.lowercased() }?.value ?? ""
    }

    /// Returns a header field, escaped for the terminal.
    func line(_ name: String, limit: Int = 1000) -> String { UntrustedText.printable(self.field(name), limit: limit) }

    /// The plain text if there is any, another text part otherwise, or nil.
    var body: String? {
        guard let payload = self.message.payload else { return nil }
        return Self.text("text/plain", in: payload) ?? Self.text("text/", in: payload)
    }

    /// The usual header fields, an empty line and the text.
    var text: TerminalText {
        var lines = ["From", "To", "Cc", "Date", "Subject"].filter { !self.field($0).isEmpty }
            .map { "\($0): \(self.line($0))" as TerminalText }
        lines.append("")
        let body = self.body ?? self.message.snippet ?? ""
        // Line breaks are preserved, and everything else is escaped for the terminal.
        lines += body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { "\(UntrustedText.printable(String($0), limit: 10_000))" }
        return lines.joined(separator: "\n")
    }

    /// The identifiers and the usual header fields.
    var json: JSONNode {
        [
            "id": .string(self.id), "threadId": self.message.threadId.map { .string($0) } ?? .null,
            "from": .string(self.field("From")), "to": .string(self.field("To")),
            "subject": .string(self.field("Subject")), "date": .string(self.field("Date")),
            "snippet": .string(self.message.snippet ?? ""),
        ]
    }

    /// Returns the rows of a list of messages.
    static func rows(_ messages: [MailText]) -> ListRows {
        var rows = ListRows([
            "id": "ID", "threadId": nil, "date": "DATE", "from": "FROM", "to": nil, "subject": "SUBJECT",
        ])
        for message in messages {
            rows.add(
                .init(message.id),
                .init(message.message.threadId),
                .init(message.field("Date"), shown: message.line("Date", limit: 31)),
                .init(message.field("From"), shown: message.line("From", limit: 40)),
                .init(message.field("To")),
                .init(message.field("Subject"), shown: message.line("Subject", limit: 80))
            )
        }
        return rows
    }

    private static func text(_ type: String, in part: GmailV1.MessagePart) -> String? {
        if part.mimeType?.hasPrefix(type) == true, part.filename ?? "" == "", let data = part.body?.data {
            return String(decoding: Array(data), as: UTF8.self)
        }
        for part in part.parts ?? [] {
            if let text = Self.text(type, in: part) { return text }
        }
        return nil
    }
}
