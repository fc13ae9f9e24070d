// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleDriveV3
internal import TesseraCommand
internal import TesseraConsole
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth

/// `tessera drive share`.
struct DriveShareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Share a file with a user",
        discussion: """
            Sends no email unless you pass --notify. A user who already has access gets the new role.

            Examples:
              tessera drive share film.mp4 --with mia@example.com
              tessera drive share ID --with mia@example.com --role writer --notify
            """
    )

    /// The roles that can be given to another user without a transfer of ownership.
    enum Role: String, CaseIterable, ExpressibleByArgument {
        case reader, commenter, writer
    }

    @Argument(help: ArgumentHelp("The file's identifier, or its name.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("The user's email address.", valueName: "email"))
    var with: String

    @Option(help: ArgumentHelp("reader, commenter or writer.", valueName: "role"))
    var role = Role.reader

    @Flag(help: "Send the user an email.")
    var notify = false

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard self.with.contains("@") else { throw ValidationError("--with requires an email address.") }
    }

    func run() async throws {
        let permission = DriveV3.Permission {
            $0.type = "user"
            $0.role = self.role.rawValue
            $0.emailAddress = self.with
        }
        let made = try await self.connection.connect(scopes: [DriveV3.Scope.drive], writes: true) { connection in
            let drive: DriveV3 = connection.client()
            let file = try await DriveLookup.file(self.file, drive, connection)
            return try await drive.permissions
                .create(
                    permission,
                    fileId: file.id ?? self.file,
                    sendNotificationEmail: self.notify,
                    supportsAllDrives: true
                )
                .fields("id,type,role,emailAddress").execute()
        }
        self.output.result(made.node, "\(made.emailAddress ?? self.with): \(made.role ?? self.role.rawValue)")
    }
}

/// `tessera drive export`.
struct DriveExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Convert a Google document and download it",
        discussion: """
            Google's editors export documents, spreadsheets, presentations and drawings of up to 10 MB. To download \
            any other file, use 'tessera drive get'. Without --output, the file gets its name in Drive and the \
            format's extension. An existing file is replaced only with --force.

            Examples:
              tessera drive export Report --format pdf
              tessera drive export ID --format csv -o -
            """
    )

    @Argument(help: ArgumentHelp("The file's identifier, or its name.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("An extension, such as pdf, or a media type.", valueName: "format"))
    var format: ExportFormat

    @OptionGroup var target: DownloadOptions
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let result = try await self.connection.connect(scopes: [DriveV3.Scope.driveReadonly]) { connection in
            let drive: DriveV3 = connection.client()
            let file = try await DriveLookup.file(self.file, drive, connection)
            let call = drive.files.export(fileId: file.id ?? self.file, mimeType: self.format.mediaType)
            return try await self.target.get(call, name: (file.name ?? self.file) + self.format.suffix)
        }
        if let result { self.output.result(result.json, "\(result.path)") }
    }
}

/// A format to which Google's editors export documents.
struct ExportFormat: ExpressibleByArgument, Sendable {
    let mediaType: String
    /// The extension with a dot, or an empty string if it is unknown.
    let suffix: String

    private static let openXML = "application/vnd.openxmlformats-officedocument."
    private static let openDocument = "application/vnd.oasis.opendocument."
    private static let mediaTypes = [
        "pdf": "application/pdf", "docx": openXML + "wordprocessingml.document",
        "xlsx": openXML + "spreadsheetml.sheet",
        "pptx": openXML + "presentationml.presentation", "odt": openDocument + "text",
        "ods": openDocument + "spreadsheet", "odp": openDocument + "presentation", "csv": "text/csv",
        "tsv": "text/tab-separated-values", "txt": "text/plain", "md": "text/markdown", "html": "text/html",
        "rtf": "application/rtf", "epub": "application/epub+zip", "zip": "application/zip", "png": "image/png",
        "jpg": "image/jpeg", "svg": "image/svg+xml",
    ]

    static var allValueStrings: [String] { Self.mediaTypes.keys.sorted() }

    /// Creates a format from an extension such as `pdf`, or from a media type.
    init?(argument: String) {
        if let mediaType = Self.mediaTypes[argument.lowercased()] {
            self.mediaType = mediaType
            self.suffix = "." + argument.lowercased()
        } else if argument.contains("/"), argument.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) {
            self.mediaType = argument
            self.suffix = Self.mediaTypes.first { $0.value == argument }.map { "." + $0.key } ?? ""
        } else {
            return nil
        }
    }
}
