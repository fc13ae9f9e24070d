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
            Transfers show their progress on a terminal, and report it from time to time otherwise. After Ctrl-C, run \
            the same command with --resume to continue.

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
        abstract: "List the objects in a bucket",
        discussion: """
            Examples:
              tessera storage ls my-bucket
              tessera storage ls my-bucket --prefix films/ --limit 1000
            """
    )

    @Argument(help: ArgumentHelp("The bucket's name.", valueName: "bucket"))
    var bucket: String

    @Option(help: ArgumentHelp("List only objects whose names start with this prefix.", valueName: "text"))
    var prefix: String?

    @Option(help: ArgumentHelp("The maximum number of objects.", valueName: "number"))
    var limit = 100

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var list: ListOptions

    func validate() throws {
        if self.limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        let objects = try await self.connection.connect(scopes: [StorageV1.Scope.devstorageReadOnly]) { connection in
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
        self.list.result(["objects": .array(objects.map(\.node))], Self.rows(objects))
    }

    private static func rows(_ objects: [StorageV1.Object]) -> ListRows {
        var rows = ListRows(["name": "NAME", "size": "SIZE", "updated": "UPDATED", "contentType": "TYPE"])
        for object in objects {
            rows.add(
                .init(object.name),
                .init(
                    object.size.map { String($0) },
                    shown: object.size.map { TransferLine.size(Int64(clamping: $0)) } ?? "-"
                ),
                .init(object.updated?.description, shown: object.updated.map { TimeText.moment($0.date) } ?? ""),
                .init(object.contentType)
            )
        }
        return rows
    }
}

/// `tessera storage get`.
struct StorageGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download an object",
        discussion: """
            The download is saved as FILE.part until it is complete, and --resume continues it. Without --output, the \
            file gets the last path component of the object's name. An existing file is replaced only with --force.

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
        let result = try await self.connection.connect(scopes: [StorageV1.Scope.devstorageReadOnly]) { connection in
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
        abstract: "Upload a file to a bucket and print the object's name",
        discussion: """
            Replaces an existing object with the same name. After an interruption, run the same command with --resume \
            to continue. The state of an interrupted upload is readable only by the current user.

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
        let made = try await self.connection.connect(scopes: [StorageV1.Scope.devstorageReadWrite], writes: true) {
            connection in
            let storage: StorageV1 = connection.client()
            let call = storage.objects.insert(StorageV1.Object { $0.name = name }, bucket: self.bucket)
                .fields("bucket,name,size")
            let location = ["storage.objects.insert", storage.service.settings.rootURL ?? "", self.bucket, name]
            return try await self.upload.send(self.file, by: call, to: location, connection)
        }
        self.output.result(made.node, "\(made.name ?? name)")
    }
}
