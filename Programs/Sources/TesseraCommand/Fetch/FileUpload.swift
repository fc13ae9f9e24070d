// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraGoogleAPI

/// An upload by `tessera fetch --upload`.
struct FileUpload {
    let file: String
    let contentType: String
    /// Whether to continue an interrupted upload.
    let resumes: Bool

    /// The upload protocol, which depends on the URL.
    private enum UploadProtocol {
        case google(any UploadStrategy)
        /// A single request with the file as its body.
        case plain
    }

    private static func uploadProtocol(_ request: HTTPRequest) -> UploadProtocol {
        let parts = (request.path ?? "/").split(separator: "?", maxSplits: 1)
        let path = parts.first.map(String.init) ?? "/"
        let query = parts.dropFirst().first?.split(separator: "&").map(String.init) ?? []
        let type = query.first { $0.hasPrefix("uploadType=") }.map { $0.dropFirst("uploadType=".count) }
        if path.hasPrefix("/resumable/upload/") { return .google(GoogleUploadProtocol()) }
        if path.hasPrefix("/upload/"), type == nil || type == "resumable" { return .google(GoogleResumableUpload()) }
        return .plain
    }

    /// Returns the default method for an upload URL.
    static func method(for url: String) -> String {
        guard let request = try? HTTPRequest(url: url), case .google = Self.uploadProtocol(request) else {
            return "PUT"
        }
        return "POST"
    }

    /// Uploads the file to a URL, which also identifies an interrupted upload, and returns the API's response.
    func run(
        _ request: HTTPRequest,
        _ metadata: HTTPBody?,
        _ fetcher: AuthorizedFetcher,
        for account: Account,
        to url: String
    ) async throws -> (HTTPResponse, HTTPBody) {
        guard FileBytes.length(of: self.file) != nil else {
            throw CommandError.usage(
                "--upload: \(self.file) is not a readable file",
                "Specify a regular file."
            )
        }
        switch Self.uploadProtocol(request) {
        case .google(let strategy):
            let upload = Upload(
                request,
                metadata: metadata,
                source: try await HTTPBody(file: self.file),
                contentType: self.contentType,
                strategy: strategy
            )
            return try await ResumableTransfer.upload(
                self.file,
                to: url,
                by: account,
                resumes: self.resumes
            ) { state, progress, save in
                let (response, bytes) = try await fetcher.upload(upload, from: state, progress: progress, saving: save)
                return (response, HTTPBody(bytes))
            }
        case .plain:
            guard metadata == nil else {
                throw CommandError.usage("-d and --upload cannot be used together for this URL", "Remove one of them.")
            }
            if self.resumes {
                throw CommandError.usage(
                    "--resume: uploads to this URL cannot be resumed",
                    "Remove --resume, or use a URL for resumable uploads (Google: /upload/…)."
                )
            }
            var request = request
            if request.headerFields[.contentType] == nil { request.headerFields[.contentType] = self.contentType }
            let display = TransferDisplay(String(self.file.split(separator: "/").last ?? "upload"))
            let body = display.watching(try FileBody.make(self.file, option: "--upload"))
            defer { display.end() }
            return try await fetcher.send(request, body: body)
        }
    }
}
