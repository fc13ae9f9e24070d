// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import TesseraCommand
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraOAuth

/// The options for uploading a file.
struct UploadOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name on the server. (default: the file's name)", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("The media type.", valueName: "media-type"))
    var type = "application/octet-stream"

    @Flag(help: "Continue an interrupted upload.")
    var resume = false

    /// Uploads a file with a call.
    func send<Request: ResumableUploadRequest>(
        _ file: String,
        by call: APICall<Request>,
        to location: [String],
        _ connection: APIConnection
    ) async throws -> Request.Response {
        try await ResumableTransfer.upload(
            file,
            to: location.joined(separator: "\n"),
            by: connection.account,
            resumes: self.resume
        ) { state, progress, save in
            try await call.uploadResumably(
                try await HTTPBody(file: file),
                contentType: self.type,
                from: state,
                progress: progress,
                saving: save
            )
        }
    }
}

/// Checks and names files to upload.
enum UploadFile {
    /// - Throws: ``CommandError`` if the path does not refer to a regular file.
    static func check(_ path: String, option: String) throws {
        guard FileBytes.length(of: path) == nil else { return }
        throw CommandError.usage(
            "\(option): \(path) is not a readable file",
            "Specify a regular file."
        )
    }

    /// Returns the last component of a path.
    static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "file") }
}
