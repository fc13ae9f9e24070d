// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleGmailV1
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON

/// `tessera gmail get`.
struct GmailGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Shows a message.",
        discussion: """
            With --raw it comes as it went over the wire (RFC 5322), attachments included; with --json as the API has it.

            Examples:
              tessera gmail get ID
              tessera gmail get ID --raw > letter.eml
            """
    )

    @Argument(help: ArgumentHelp("The message's identifier.", valueName: "id"))
    var id: String

    @Flag(help: "The message as it is, byte by byte.")
    var raw = false

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if self.raw, self.output.json { throw ValidationError("--raw and --json exclude each other.") }
    }

    func run() async throws {
        let message = try await self.connection.connect { connection in
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
