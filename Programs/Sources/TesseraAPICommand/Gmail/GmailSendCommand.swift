// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleGmailV1
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON

/// `tessera gmail send`.
struct GmailSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Sends a letter of plain text, and prints its identifier.",
        discussion: """
            The text comes from --file, else from standard input.

            Examples:
              tessera gmail send --to mia@example.com --subject Hello --file letter.txt
              echo 'It is done.' | tessera gmail send --to mia@example.com --subject Done
            """
    )

    @Option(help: ArgumentHelp("Who gets it; may be given several times.", valueName: "address"))
    var to: [String]

    @Option(help: ArgumentHelp("Who gets a copy; may be given several times.", valueName: "address"))
    var cc: [String] = []

    @Option(help: ArgumentHelp("What it is about.", valueName: "text"))
    var subject: String

    @Option(help: ArgumentHelp("The text; - for standard input.", valueName: "file"), completion: .file())
    var file = "-"

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    /// Google takes no more.
    private static let limit = 25 << 20

    func run() async throws {
        let text =
            if self.file == "-" {
                try await FileBytes.standardInput(option: "--file", limit: Self.limit)
            } else {
                try await FileBytes.read(self.file, option: "--file", limit: Self.limit)
            }
        let letter = try Letter(to: self.to, cc: self.cc, subject: self.subject, text: text)
        let sent = try await self.connection.connect { connection in
            let gmail: GmailV1 = connection.client()
            return try await gmail.users.messages.send(GmailV1.Message { $0.raw = Data(letter.bytes) }, userId: "me")
                .execute()
        }
        self.output.result(sent.node, "\(sent.id ?? "")")
    }
}
