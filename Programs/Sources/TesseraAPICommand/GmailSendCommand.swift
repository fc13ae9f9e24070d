// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import GoogleGmailV1
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON

/// `tessera gmail send`.
struct GmailSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a plain-text message and print its identifier",
        discussion: """
            Reads the text from --file, or from standard input by default.

            Examples:
              tessera gmail send --to mia@example.com --subject Hello --file letter.txt
              echo 'It is done.' | tessera gmail send --to mia@example.com --subject Done
            """
    )

    @OptionGroup var letter: LetterOptions

    @OptionGroup var connection: BaseConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (letter, user) = (try await self.letter.letter(), self.letter.actAs)
        let sent = try await self.connection.connect(as: user, scopes: [GmailV1.Scope.gmailSend], writes: true) {
            connection in
            let gmail: GmailV1 = connection.client()
            return try await gmail.users.messages.send(GmailV1.Message { $0.raw = Data(letter.bytes) }, userId: "me")
                .execute()
        }
        self.output.result(sent.node, "\(sent.id ?? "")")
    }
}

/// The recipients, subject and text of a message, and the user to act as.
struct LetterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A recipient. Can be repeated.", valueName: "address"))
    var to: [String]

    @Option(help: ArgumentHelp("A recipient of a copy (Cc). Can be repeated.", valueName: "address"))
    var cc: [String] = []

    @Option(help: ArgumentHelp("The subject.", valueName: "text"))
    var subject: String

    @Option(help: ArgumentHelp("A file with the text. - reads standard input.", valueName: "file"), completion: .file())
    var file = "-"

    /// The user on whose behalf a service account acts, since `--subject` is that of the message.
    @Option(help: ArgumentHelp("Act as this user (domain-wide delegation).", valueName: "user"))
    var actAs: String?

    /// The maximum size of a message that Gmail accepts, in bytes.
    private static let limit = 25 << 20

    /// Reads the text and returns the message.
    func letter() async throws -> Letter {
        let text =
            if self.file == "-" {
                try await FileBytes.standardInput(option: "--file", limit: Self.limit)
            } else {
                try await FileBytes.read(self.file, option: "--file", limit: Self.limit)
            }
        return try Letter(to: self.to, cc: self.cc, subject: self.subject, text: text)
    }
}

/// A plain-text message, to which Gmail adds the sender and the date.
///
/// - SeeAlso: [RFC 5322](https://www.rfc-editor.org/rfc/rfc5322.html),
///   [RFC 2047](https://www.rfc-editor.org/rfc/rfc2047.html)
struct Letter {
    let bytes: [UInt8]

    /// - Throws: ``CommandError`` if a value is not valid in a header.
    init(to: [String], cc: [String], subject: String, text: [UInt8]) throws {
        var lines: [String] = []
        for (name, addresses) in [("To", to), ("Cc", cc)] where !addresses.isEmpty {
            for address in addresses {
                guard address.utf8.allSatisfy({ 0x20...0x7E ~= $0 }), address.contains("@") else {
                    throw CommandError.usage(
                        "\(address) is not an email address",
                        "Use name@host, or 'Name <name@host>' with ASCII characters."
                    )
                }
            }
            lines.append("\(name): " + addresses.joined(separator: ",\r\n "))
        }
        guard subject.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw CommandError.usage("--subject must be one line", "Remove the line breaks.")
        }
        lines.append("Subject: " + Self.encoded(subject))
        lines += [
            "MIME-Version: 1.0", "Content-Type: text/plain; charset=UTF-8", "Content-Transfer-Encoding: base64", "",
        ]
        lines += Self.wrapped(Data(text).base64EncodedString())
        self.bytes = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    /// Returns short ASCII text unchanged, and anything else as encoded words of at most 75 characters.
    private static func encoded(_ text: String) -> String {
        if text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }), text.utf8.count <= 900, !text.contains("=?") { return text }
        var words: [String] = []
        var chunk = ""
        for character in text {
            if (chunk + String(character)).utf8.count > 45, !chunk.isEmpty {
                words.append(chunk)
                chunk = ""
            }
            chunk.append(character)
        }
        if !chunk.isEmpty { words.append(chunk) }
        return words.map { "=?UTF-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }

    private static func wrapped(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: 76)
            .map { String(decoding: bytes[$0..<min($0 + 76, bytes.count)], as: UTF8.self) }
    }
}
