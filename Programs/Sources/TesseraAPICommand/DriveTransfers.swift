// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import GoogleDriveV3
internal import TesseraCommand
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth

/// `tessera drive get`.
struct DriveGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download a file",
        discussion: """
            The download is saved as FILE.part until it is complete, and --resume continues it. Without --output, the \
            file gets its name in Drive. An existing file is replaced only with --force.

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
        let result = try await self.connection.connect(scopes: [DriveV3.Scope.driveReadonly]) { connection in
            let drive: DriveV3 = connection.client()
            let file = try await DriveLookup.file(self.file, drive, connection)
            let call = drive.files.get(fileId: file.id ?? self.file, supportsAllDrives: true)
            return try await self.target.get(call, name: file.name ?? self.file)
        }
        if let result { self.output.result(result.json, "\(result.path)") }
    }
}

/// `tessera drive put`.
struct DrivePutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Upload a file and print its identifier",
        discussion: """
            Each upload creates a new file. After an interruption, run the same command with --resume to continue. The \
            state of an interrupted upload is readable only by the current user.

            Examples:
              tessera drive put film.mp4
              tessera drive put film.mp4 --name 'The film.mp4' --parent FOLDER-ID --resume
            """
    )

    @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The identifier of the destination folder.", valueName: "id"))
    var parent: String?

    @OptionGroup var upload: UploadOptions
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try UploadFile.check(self.file, option: "put")
        let metadata = DriveV3.File {
            $0.name = self.upload.name ?? UploadFile.name(of: self.file)
            $0.parents = self.parent.map { [$0] }
        }
        let made = try await self.connection.connect(scopes: [DriveV3.Scope.drive], writes: true) { connection in
            let drive: DriveV3 = connection.client()
            let call = drive.files.create(metadata, supportsAllDrives: true).fields("id,name,size")
            let location = ["drive.files.create", drive.service.settings.rootURL ?? "", metadata.node.text()]
            return try await self.upload.send(self.file, by: call, to: location, connection)
        }
        self.output.result(made.node, "\(made.id ?? "")")
    }
}
