// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleStorageV1
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraFetch
internal import TesseraJSON
internal import TesseraOAuth

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
            return try await KeptTransfer.upload(
                self.file,
                to: place.joined(separator: "\n"),
                by: connection.account,
                resumes: self.upload.resume
            ) { state, progress, keep in
                try await call.uploadResumably(
                    try await HTTPBody(file: self.file),
                    contentType: self.upload.type,
                    from: state,
                    progress: progress,
                    keeping: keep
                )
            }
        }
        self.output.result(made.node, "\(made.name ?? name)")
    }
}
