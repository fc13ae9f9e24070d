// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import GoogleDriveV3
internal import Tessera
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth

/// `tessera drive`.
struct DriveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: SiblingProgram.drive.command,
        abstract: SiblingProgram.drive.abstract,
        discussion: """
            Transfers show their progress on a terminal, and report it from time to time otherwise. After Ctrl-C, run \
            the same command with --resume to continue.

            Examples:
              tessera drive ls
              tessera drive get film.mp4
              tessera drive put film.mp4 --resume
              tessera drive rm ID
              tessera drive share ID --with mia@example.com
              tessera drive export Report --format pdf
              tessera drive ls --credentials key.json --subject ada@example.com
            """,
        subcommands: [
            DriveListCommand.self, DriveGetCommand.self, DrivePutCommand.self, DriveRemoveCommand.self,
            DriveShareCommand.self, DriveExportCommand.self,
        ]
    )
}

/// `tessera drive ls`.
struct DriveListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List files, newest first",
        discussion: """
            A word matches files whose name contains it. Text that contains =, <, > or an operator of Drive's query \
            language is sent unchanged as a query. Files in the trash are left out unless you pass a query.

            Examples:
              tessera drive ls
              tessera drive ls film
              tessera drive ls --format csv > files.csv
              tessera drive ls "mimeType = 'application/pdf' and trashed = false"
            """
    )

    @Argument(help: ArgumentHelp("A part of the name, or a query in Drive's query language.", valueName: "query"))
    var query: String?

    @Option(help: ArgumentHelp("The maximum number of files.", valueName: "number"))
    var limit = 100

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var list: ListOptions

    func validate() throws {
        if self.limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        let query = DriveQuery.text(self.query)
        let files = try await self.connection.connect(scopes: [DriveV3.Scope.driveReadonly]) { connection in
            let drive: DriveV3 = connection.client()
            let call = drive.files.list(orderBy: "modifiedTime desc", pageSize: min(self.limit, 1000), q: query)
                .fields("files(id,name,size,mimeType,modifiedTime)")
            return try await call.items.first(self.limit, called: "files")
        }
        self.list.result(["files": .array(files.map { Self.json($0) })], Self.rows(files))
    }

    private static func json(_ file: DriveV3.File) -> JSONNode {
        var members: [JSONMember] = []
        for name in ["id", "name", "size", "mimeType", "modifiedTime"] {
            members.append(JSONMember(name: name, value: file[member: name] ?? .null))
        }
        return .object(members)
    }

    private static func rows(_ files: [DriveV3.File]) -> ListRows {
        var rows = ListRows([
            "name": "NAME", "size": "SIZE", "mimeType": nil, "modifiedTime": "MODIFIED", "id": "ID",
        ])
        for file in files {
            rows.add(
                .init(file.name, shown: UntrustedText.printable(file.name ?? "", limit: 60)),
                .init(file.size.map { String($0) }, shown: file.size.map { TransferLine.size($0) } ?? "-"),
                .init(file.mimeType),
                .init(file.modifiedTime?.description, shown: file.modifiedTime.map { TimeText.moment($0.date) } ?? ""),
                .init(file.id)
            )
        }
        return rows
    }
}

/// A query in Drive's query language.
enum DriveQuery {
    private static let words = [" contains ", " in ", " has ", " and ", " or ", "sharedWithMe"]

    /// Returns a query unchanged, converts a word to a query, or returns a query for all files if the text is missing.
    static func text(_ query: String?) -> String {
        guard let query, !query.isEmpty else { return "trashed = false" }
        let isLanguage = query.contains { "=<>".contains($0) } || Self.words.contains { query.contains($0) }
        return isLanguage ? query : "name contains \(Self.quoted(query)) and trashed = false"
    }

    /// Returns a query for files with exactly this name.
    static func named(_ name: String) -> String { "name = \(Self.quoted(name)) and trashed = false" }

    /// Returns a string literal in the query language.
    static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}

/// Finds a file by its identifier or name.
enum DriveLookup {
    ///
    /// In a dry run, nothing can be looked up, so the text is treated as an identifier.
    static func file(_ text: String, _ drive: DriveV3, _ connection: APIConnection) async throws -> DriveV3.File {
        guard !connection.isDryRun else {
            return DriveV3.File {
                $0.id = text
                $0.name = text
            }
        }
        do {
            return try await drive.files.get(fileId: text, supportsAllDrives: true).fields("id,name,size,mimeType")
                .execute()
        } catch let error as GoogleAPIError where error.httpStatus == 404 {
            return try await Self.named(text, drive)
        }
    }

    private static func named(_ name: String, _ drive: DriveV3) async throws -> DriveV3.File {
        let list = try await drive.files.list(pageSize: 10, q: DriveQuery.named(name))
            .fields("files(id,name,size,mimeType)").execute()
        let files = list.files ?? []
        guard let first = files.first else {
            throw CommandError(
                "notFound",
                "Drive has no file with the name or identifier “\(name)”",
                "Run 'tessera drive ls' to list the files that the granted scopes can see.",
                status: .refused
            )
        }
        guard files.count == 1 else {
            let identifiers = files.compactMap(\.id).joined(separator: ", ")
            throw CommandError.usage(
                "Several files are named “\(name)”",
                "Choose one by its identifier: \(identifiers)."
            )
        }
        return first
    }
}

/// `tessera drive rm`.
struct DriveRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Move a file to the trash or delete it permanently",
        discussion: """
            Examples:
              tessera drive rm ID
              tessera drive rm ID --permanently
            """
    )

    @Argument(help: ArgumentHelp("The file's identifier. Names are not accepted.", valueName: "id"))
    var id: String

    @Flag(help: "Delete it permanently, including its contents.")
    var permanently = false

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await self.connection.connect(scopes: [DriveV3.Scope.drive], writes: true) { connection in
            let drive: DriveV3 = connection.client()
            if self.permanently {
                try await drive.files.delete(fileId: self.id, supportsAllDrives: true).execute()
            } else {
                try await drive.files
                    .update(
                        DriveV3.File { $0.trashed = true },
                        fileId: self.id,
                        supportsAllDrives: true
                    )
                    .fields("id").execute()
            }
        }
        let word = self.permanently ? "deleted" : "trashed"
        self.output.result(
            ["id": .string(self.id), "outcome": .string(word)],
            "\(self.id) \(word)"
        )
    }
}
