// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJSON
public import TesseraFetch
public import TesseraOAuth

extension APICall where Request: MediaUploadRequest {
    /// Sends some bytes with the request, all at once: for what is quickly sent again whole, up to some 5 MB.
    ///
    /// - Parameters:
    ///   - media: the bytes.
    ///   - contentType: what they are.
    /// - Returns: what the API answered.
    /// - Throws: as ``execute()``.
    @discardableResult
    public func upload(
        _ media: HTTPBody,
        contentType: String = "application/octet-stream"
    ) async throws -> Request.Response {
        let hasMetadata = self.request.arguments.body != nil
        var message = try self.uploadMessage(hasMetadata ? "multipart" : "media")
        var body = media
        if let metadata = message.body {
            (message.request, body) = try MultipartUpload.make(
                message.request,
                metadata: metadata,
                media: media,
                contentType: contentType
            )
        } else {
            message.request.headerFields[.contentType] = contentType
        }
        let answer = try await self.service.fetcher.data(
            for: message.request,
            body: body,
            upTo: self.service.settings.maximumAnswerBytes,
            options: self.service.adapted(self.options)
        )
        return try self.service.decode(answer)
    }

    fileprivate func uploadMessage(_ type: String) throws -> APIMessage {
        try self.message(uploadPath: Request.uploadPath, query: ["uploadType": type])
    }
}

extension APICall where Request: ResumableUploadRequest {
    /// Sends a file with the request, in one piece or several, and goes on after whatever interrupts it.
    ///
    /// - Parameters:
    ///   - source: the bytes.
    ///   - contentType: what they are.
    ///   - state: of an earlier, interrupted upload; nil begins one.
    ///   - pieceSize: how many bytes are sent in one request; nil for all that is left.
    ///   - progress: gets the steps.
    ///   - keep: is given what a later program needs to go on; it is a secret.
    /// - Returns: what the API answered.
    /// - Throws: as ``execute()``, and as `AuthorizedFetcher.upload(_:from:progress:keeping:)`.
    @discardableResult
    public func uploadResumably(
        _ source: UploadSource,
        contentType: String = "application/octet-stream",
        from state: UploadState? = nil,
        pieceSize: Int? = nil,
        progress: TransferProgress? = nil,
        keeping keep: @escaping @Sendable (UploadState) async throws -> Void = { _ in }
    ) async throws -> Request.Response {
        let message = try self.uploadMessage("resumable")
        let upload = Upload(
            message.request,
            metadata: message.body.map { HTTPBody($0) },
            source: source,
            contentType: contentType,
            strategy: GoogleResumableUpload(),
            pieceSize: pieceSize,
            options: self.service.adapted(self.options)
        )
        let (_, answer) = try await self.service.fetcher.upload(upload, from: state, progress: progress, keeping: keep)
        return try self.service.decode(answer)
    }
}
