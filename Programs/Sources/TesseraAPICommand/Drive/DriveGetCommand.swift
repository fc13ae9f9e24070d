// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleDriveV3
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON

/// `tessera drive get`.
struct DriveGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Gets a file's contents.",
        discussion: """
            The file is there when it is whole; until then it is FILE.part, with which --resume goes on. Without --output the
            file gets the name that it has in the Drive, and no file that exists is replaced unless --force is given.

            Examples:
              tessera drive get film.mp4
              tessera drive get ID -o copy.mp4 --resume
            """
    )

    @Argument(help: ArgumentHelp("The file's identifier, or its name.", valueName: "file"))
    var file: String

    @OptionGroup var target: DownloadOptions
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let result = try await self.connection.connect { connection in
            let drive: DriveV3 = connection.client()
            let file = try await DriveLookup.file(self.file, drive)
            let call = drive.files.get(fileId: file.id ?? self.file, supportsAllDrives: true)
            if self.target.isStandardOutput {
                try await MediaOutput.write(try await call.media())
                return nil as DownloadedFile?
            }
            let path = self.target.path(for: file.name ?? self.file)
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
