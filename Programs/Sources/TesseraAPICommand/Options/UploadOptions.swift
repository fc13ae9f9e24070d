// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import TesseraCommand
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraOAuth

/// How a file is sent.
struct UploadOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name at the server. (default: the file's name)", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("The media type.", valueName: "media-type"))
    var type = "application/octet-stream"

    @Flag(help: "Continue an interrupted upload.")
    var resume = false

    /// Sends a file by a call, on a connection.
    func send<Request: ResumableUploadRequest>(
        _ file: String,
        by call: APICall<Request>,
        to place: [String],
        _ connection: Connection
    ) async throws -> Request.Response {
        try await KeptTransfer.upload(
            file,
            to: place.joined(separator: "\n"),
            by: connection.account,
            resumes: self.resume
        ) { state, progress, keep in
            try await call.uploadResumably(
                try await HTTPBody(file: file),
                contentType: self.type,
                from: state,
                progress: progress,
                keeping: keep
            )
        }
    }
}

/// A file that is to be sent.
enum UploadFile {
    /// - Throws: ``CommandError`` for what is no regular file.
    static func check(_ path: String, option: String) throws {
        guard FileBytes.length(of: path) == nil else { return }
        throw CommandError.usage(
            "\(option): \(path) is not a readable file",
            "Name a regular file."
        )
    }

    /// The last part of a path.
    static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "file") }
}
