// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleStorageV1
internal import Tessera
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON

/// `tessera storage ls`.
struct StorageListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists the objects of a bucket.",
        discussion: """
            Examples:
              tessera storage ls my-bucket
              tessera storage ls my-bucket --prefix films/ --limit 1000
            """
    )

    @Argument(help: ArgumentHelp("The bucket's name.", valueName: "bucket"))
    var bucket: String

    @Option(help: ArgumentHelp("Only those whose name begins so.", valueName: "text"))
    var prefix: String?

    @Option(help: ArgumentHelp("At most so many objects.", valueName: "number"))
    var limit = 100

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if self.limit < 1 { throw ValidationError("--limit is at least 1.") }
    }

    func run() async throws {
        let objects = try await self.connection.connect { connection in
            let storage: StorageV1 = connection.client()
            let call = storage.objects
                .list(
                    bucket: self.bucket,
                    maxResults: UInt32(clamping: min(self.limit, 1000)),
                    prefix: self.prefix
                )
                .fields("items(name,size,updated,contentType)")
            var objects: [StorageV1.Object] = []
            for try await object in call.items {
                guard objects.count < self.limit else {
                    Console.note("tessera: There are more objects; --limit N lists N of them.")
                    break
                }
                objects.append(object)
            }
            return objects
        }
        self.output.result(["objects": .array(objects.map(\.node))], Self.table(objects))
    }

    private static func table(_ objects: [StorageV1.Object]) -> TerminalText {
        var table = ColumnTable("NAME", "SIZE", "UPDATED", "TYPE")
        for object in objects {
            table.add(
                object.name ?? "",
                object.size.map { TransferLine.size(Int64(clamping: $0)) } ?? "-",
                object.updated.map { TimeText.moment($0.date) } ?? "",
                object.contentType ?? ""
            )
        }
        return table.text
    }
}
