// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import GoogleStorageV1
internal import Tessera
internal import TesseraCommand
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth

/// `tessera storage`.
struct StorageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: SiblingProgram.storage.command,
        abstract: SiblingProgram.storage.abstract,
        discussion: """
            Transfers show how far they are on a terminal, and say so now and then in a pipe. Ctrl-C leaves what has come or
            gone: the same command with --resume goes on from there.

            Examples:
              tessera storage ls my-bucket
              tessera storage get my-bucket films/film.mp4 -o film.mp4
              tessera storage put my-bucket film.mp4 --name films/film.mp4
            """,
        subcommands: [StorageListCommand.self, StorageGetCommand.self, StoragePutCommand.self]
    )
}

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
            return try await call.items.first(self.limit, called: "objects")
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

/// `tessera storage get`.
struct StorageGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Gets an object's contents.",
        discussion: """
            The file is there when it is whole; until then it is FILE.part, with which --resume goes on. Without --output the
            file gets the last part of the object's name, and no file that exists is replaced unless --force is given.

            Examples:
              tessera storage get my-bucket films/film.mp4
              tessera storage get my-bucket films/film.mp4 -o copy.mp4 --resume
            """
    )

    @Argument(help: ArgumentHelp("The bucket's name.", valueName: "bucket"))
    var bucket: String

    @Argument(help: ArgumentHelp("The object's name.", valueName: "object"))
    var object: String

    @OptionGroup var target: DownloadOptions
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let result = try await self.connection.connect { connection in
            let storage: StorageV1 = connection.client()
            let call = storage.objects.get(bucket: self.bucket, object: self.object)
            return try await self.target.get(call, name: self.object)
        }
        if let result { self.output.result(result.json, "\(result.path)") }
    }
}

/// `tessera storage put`.
struct StoragePutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Sends a file into a bucket, and prints the object's name.",
        discussion: """
            An object of that name is replaced. What was interrupted, by Ctrl-C or by anything else, goes on when the same
            command is given with --resume; what it needs for that is kept for this user alone.

            Examples:
              tessera storage put my-bucket film.mp4
              tessera storage put my-bucket film.mp4 --name films/film.mp4 --resume
            """
    )

    @Argument(help: ArgumentHelp("The bucket's name.", valueName: "bucket"))
    var bucket: String

    @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var upload: UploadOptions
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try UploadFile.check(self.file, option: "put")
        let name = self.upload.name ?? UploadFile.name(of: self.file)
        let made = try await self.connection.connect { connection in
            let storage: StorageV1 = connection.client()
            let call = storage.objects.insert(StorageV1.Object { $0.name = name }, bucket: self.bucket)
                .fields("bucket,name,size")
            let place = ["storage.objects.insert", storage.service.settings.rootURL ?? "", self.bucket, name]
            return try await self.upload.send(self.file, by: call, to: place, connection)
        }
        self.output.result(made.node, "\(made.name ?? name)")
    }
}
