// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleGmailV1
internal import Tessera
internal import TesseraCommand
internal import TesseraConsole
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraStores

/// `tessera gmail attachments`.
struct GmailAttachmentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attachments",
        abstract: "List or save the attachments of a message",
        discussion: """
            Examples:
              tessera gmail attachments ls ID
              tessera gmail attachments save ID --directory Downloads
            """,
        subcommands: [List.self, Save.self]
    )

    /// `tessera gmail attachments ls`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the attachments of a message",
            discussion: """
                Examples:
                  tessera gmail attachments ls ID
                  tessera gmail attachments ls ID --json
                """
        )

        @Argument(help: ArgumentHelp("The message's identifier.", valueName: "id"))
        var id: String

        @OptionGroup var connection: ConnectionOptions
        @OptionGroup var list: ListOptions

        func run() async throws {
            let parts = try await self.connection.connect(scopes: [GmailV1.Scope.gmailReadonly]) { connection in
                try await Attachment.all(of: self.id, connection.client())
            }
            var rows = ListRows(["name": "NAME", "size": "SIZE", "mimeType": "TYPE"])
            for part in parts {
                rows.add(
                    .init(part.name),
                    .init(String(part.size), shown: TransferLine.size(Int64(part.size))),
                    .init(part.type)
                )
            }
            self.list.result(["attachments": .array(parts.map(\.json))], rows)
        }
    }

    /// `tessera gmail attachments save`.
    struct Save: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "save",
            abstract: "Save the attachments of a message",
            discussion: """
                The sender chose the names, so only the last component of each is used, without control characters. \
                The files are readable only by the current user. An existing file is replaced only with --force, and \
                nothing is saved if one exists.

                Examples:
                  tessera gmail attachments save ID
                  tessera gmail attachments save ID --name report.pdf --directory Downloads
                """
        )

        @Argument(help: ArgumentHelp("The message's identifier.", valueName: "id"))
        var id: String

        @Option(help: ArgumentHelp("Save only this attachment. Can be repeated.", valueName: "name"))
        var name: [String] = []

        @Option(
            help: ArgumentHelp("The existing directory to save to.", valueName: "directory"),
            completion: .directory
        )
        var directory = "."

        @Flag(help: "Replace existing files.")
        var force = false

        @OptionGroup var connection: ConnectionOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let saved = try await self.connection.connect(scopes: [GmailV1.Scope.gmailReadonly]) { connection in
                let gmail: GmailV1 = connection.client()
                let files = try self.files(of: try await Attachment.all(of: self.id, gmail))
                for (part, path) in files {
                    try await self.save(try await part.contents(of: self.id, gmail), to: path)
                }
                return files
            }
            let nodes = saved.map { file -> JSONNode in
                ["name": .string(file.part.name), "file": .string(file.path), "bytes": .integer(Int64(file.part.size))]
            }
            let lines = saved.map { "\($0.path)" as TerminalText }
            self.output.result(
                ["files": .array(nodes)],
                lines.isEmpty ? "The message has no attachments." : lines.joined(separator: "\n")
            )
        }

        /// Returns the chosen attachments and their paths, none of which exists unless it may be replaced.
        private func files(of parts: [Attachment]) throws -> [(part: Attachment, path: String)] {
            if let unknown = self.name.first(where: { name in !parts.contains { $0.name == name } }) {
                throw CommandError.usage(
                    "The message has no attachment “\(UntrustedText.printable(unknown, limit: 80))”",
                    "Run 'tessera gmail attachments ls \(self.id)' to list them."
                )
            }
            var names: Set<String> = []
            let files = parts.filter { self.name.isEmpty || self.name.contains($0.name) }
                .map { part in
                    (part: part, path: "\(self.directory)/\(AttachmentName.unused(for: part.name, in: &names))")
                }
            guard !self.force, let existing = files.first(where: { Self.exists($0.path) }) else { return files }
            throw Self.taken(existing.path)
        }

        private static func exists(_ path: String) -> Bool {
            var information = stat()
            return lstat(path, &information) == 0
        }

        private static func taken(_ path: String) -> CommandError {
            .usage("\(path) exists", "Choose another directory with --directory, or replace it with --force.")
        }

        private func save(_ bytes: [UInt8], to path: String) async throws {
            do {
                let isSaved = try await FileBytes.blocking { [force] in
                    try PrivateFile.write(bytes, to: path, replaces: force)
                }
                // Another process may have created the file in the meantime.
                if !isSaved { throw Self.taken(path) }
            } catch let error as StoreError {
                throw CommandError.usage(
                    "\(path): \(error.detail ?? "it cannot be written")",
                    "Choose another directory with --directory."
                )
            }
        }
    }
}

/// The names of saved attachments.
enum AttachmentName {
    /// Returns a safe name that differs from the ones in use, and adds it to them.
    ///
    /// Letter case is ignored, as some file systems do.
    static func unused(for name: String, in names: inout Set<String>) -> String {
        let safe = DownloadName.file(for: name)
        var candidate = safe
        var number = 2
        while !names.insert(candidate.lowercased()).inserted {
            let dot = safe.lastIndex(of: ".") ?? safe.endIndex
            candidate = "\(safe[..<dot]) \(number)\(safe[dot...])"
            number += 1
        }
        return candidate
    }
}

/// A part of a message that has a file name.
struct Attachment: Sendable {
    let name: String
    let type: String
    let size: Int
    private let identifier: String?
    private let data: Data?

    private init(_ part: GmailV1.MessagePart, _ name: String) {
        self.name = name
        self.type = part.mimeType ?? ""
        self.size = part.body?.size ?? part.body?.data?.count ?? 0
        self.identifier = part.body?.attachmentId
        self.data = part.body?.data
    }

    /// Returns the attachments of a message.
    static func all(of id: String, _ gmail: GmailV1) async throws -> [Attachment] {
        let message = try await gmail.users.messages.get(userId: "me", id: id, format: .full).execute()
        return message.payload.map { Self.all(in: $0) } ?? []
    }

    private static func all(in part: GmailV1.MessagePart) -> [Attachment] {
        let name = part.filename ?? ""
        return (name.isEmpty ? [] : [Attachment(part, name)]) + (part.parts ?? []).flatMap { Self.all(in: $0) }
    }

    /// Returns the contents, which large attachments have in a separate resource.
    func contents(of id: String, _ gmail: GmailV1) async throws -> [UInt8] {
        guard let identifier else { return self.data.map { Array($0) } ?? [] }
        let body = try await gmail.users.messages.attachments.get(userId: "me", messageId: id, id: identifier).execute()
        return body.data.map { Array($0) } ?? []
    }

    var json: JSONNode {
        ["name": .string(self.name), "size": .integer(Int64(self.size)), "mimeType": .string(self.type)]
    }
}
