// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleStorageV1
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON

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
            if self.target.isStandardOutput {
                try await MediaOutput.write(try await call.media())
                return nil as DownloadedFile?
            }
            let path = self.target.path(for: self.object)
            _ = try await KeptTransfer.download(to: path) { progress in
                try await call.download(
                    to: path,
                    resumes: self.target.resume,
                    overwrites: self.target.overwrites,
                    progress: progress
                )
            }
            return DownloadedFile(path)
        }
        if let result { self.output.result(result.json, "\(result.path)") }
    }
}
