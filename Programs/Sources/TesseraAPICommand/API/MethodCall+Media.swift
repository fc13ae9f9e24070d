// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraAPIGenerator
internal import TesseraCommand
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraJSON

extension MethodCall {
    /// Sends a file with the call, or gets one by it.
    func transfer(_ connection: Connection) async throws {
        let service = self.service(connection)
        if let file = self.media.upload {
            let answer = try await self.upload(file, service, connection)
            guard let value = try service.json(of: answer) else { return }
            try await OutputFile.open(nil).write(Console.line(json: value))
        } else if let file = self.media.output {
            try await self.download(file, service)
        }
    }

    private func upload(_ file: String, _ service: APIService, _ connection: Connection) async throws -> [UInt8] {
        guard let way = self.method.upload else {
            throw CommandError.usage("--upload: \(self.method.id) takes no file", "Leave it out.")
        }
        try UploadFile.check(file, option: "--upload")
        let type = way.isResumable ? "resumable" : self.arguments.body == nil ? "media" : "multipart"
        var message = try self.message(
            service,
            self.arguments,
            uploadPath: way.path,
            parameters: [("uploadType", type)]
        )
        guard way.isResumable else {
            if self.media.resume {
                throw CommandError.usage("--resume: uploads by \(self.method.id) cannot go on", "Leave it out.")
            }
            var body = try FileBody.make(file, option: "--upload")
            if let metadata = message.body {
                (message.request, body) = try MultipartUpload.make(
                    message.request,
                    metadata: metadata,
                    media: body,
                    contentType: self.media.uploadType
                )
            } else {
                message.request.headerFields[.contentType] = self.media.uploadType
            }
            return try await service.fetcher.data(for: message.request, body: body)
        }
        let upload = Upload(
            message.request,
            metadata: message.body.map { HTTPBody($0) },
            source: try await HTTPBody(file: file),
            contentType: self.media.uploadType,
            strategy: GoogleResumableUpload()
        )
        let place = [message.request.url, message.body.map { String(decoding: $0, as: UTF8.self) } ?? ""]
        return try await KeptTransfer.upload(
            file,
            to: place.joined(separator: "\n"),
            by: connection.account,
            resumes: self.media.resume
        ) { state, progress, keep in
            try await service.fetcher.upload(upload, from: state, progress: progress, keeping: keep).1
        }
    }

    private func download(_ file: String, _ service: APIService) async throws {
        guard self.method.hasMediaDownload else {
            throw CommandError.usage("--output: \(self.method.id) gives no file", "Leave it out.")
        }
        var request = try self.message(service, self.arguments, parameters: [("alt", "media")]).request
        request.headerFields[.accept] = nil
        guard file != "-" else {
            return try await MediaOutput.write(try await service.opened(request).body)
        }
        let whole = request
        _ = try await KeptTransfer.download(to: file) { progress in
            try await service.fetcher.download(whole, to: file, resumes: self.media.resume, progress: progress)
        }
    }
}

extension HTTPRequest {
    /// Where it goes.
    fileprivate var url: String { "\(self.scheme ?? "")://\(self.authority ?? "")\(self.path ?? "")" }
}
