// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleDriveV3
internal import Tessera
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth

/// `tessera drive ls`.
struct DriveListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists files, the newest first.",
        discussion: """
            A word finds the files whose name contains it; what has = < > or a word of Drive's own language in it is sent as
            it is. Without a query, and with a word, what lies in the trash is left out.

            Examples:
              tessera drive ls
              tessera drive ls film
              tessera drive ls "mimeType = 'application/pdf' and trashed = false"
            """
    )

    @Argument(help: ArgumentHelp("A part of the name, or a query in Drive's language.", valueName: "query"))
    var query: String?

    @Option(help: ArgumentHelp("At most so many files.", valueName: "number"))
    var limit = 100

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if self.limit < 1 { throw ValidationError("--limit is at least 1.") }
    }

    func run() async throws {
        let query = DriveQuery.text(self.query)
        let files = try await self.connection.connect { connection in
            let drive: DriveV3 = connection.client()
            let call = drive.files.list(orderBy: "modifiedTime desc", pageSize: min(self.limit, 1000), q: query)
                .fields("files(id,name,size,mimeType,modifiedTime)")
            var files: [DriveV3.File] = []
            for try await file in call.items {
                guard files.count < self.limit else {
                    Console.note("tessera: There are more files; --limit N lists N of them.")
                    break
                }
                files.append(file)
            }
            return files
        }
        self.output.result(["files": .array(files.map { Self.json($0) })], Self.table(files))
    }

    private static func json(_ file: DriveV3.File) -> JSONNode {
        var members: [JSONMember] = []
        for name in ["id", "name", "size", "mimeType", "modifiedTime"] {
            members.append(JSONMember(name: name, value: file[member: name] ?? .null))
        }
        return .object(members)
    }

    private static func table(_ files: [DriveV3.File]) -> TerminalText {
        var table = ColumnTable("NAME", "SIZE", "MODIFIED", "ID")
        for file in files {
            table.add(
                UntrustedText.printable(file.name ?? "", limit: 60),
                file.size.map { TransferLine.size($0) } ?? "-",
                file.modifiedTime.map { TimeText.moment($0.date) } ?? "",
                file.id ?? ""
            )
        }
        return table.text
    }
}
