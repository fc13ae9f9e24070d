// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJSON
public import TesseraFetch
public import TesseraOAuth

extension APICall where Request: MediaUploadRequest {
    /// Uploads a body with the request in one piece, which suits up to about 5 MB.
    ///
    /// - Parameters:
    ///   - media: The bytes.
    ///   - contentType: Their media type.
    /// - Returns: The API's response.
    /// - Throws: The errors of ``execute()``.
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
        try self.message(uploadPath: Request.uploadPath, adding: [("uploadType", type)])
    }
}

extension APICall where Request: ResumableUploadRequest {
    /// Uploads a body with the request in one or more pieces, and continues after interruptions.
    ///
    /// - Parameters:
    ///   - media: The bytes, as in `Upload.source`.
    ///   - contentType: Their media type.
    ///   - state: The state of an interrupted upload; nil begins one.
    ///   - pieceSize: The number of bytes in one request; nil for all that is left.
    ///   - progress: Gets the steps.
    ///   - keep: Gets the state that another program needs to continue. It is a secret.
    /// - Returns: The API's response.
    /// - Throws: The errors of ``execute()`` and of `AuthorizedFetcher.upload(_:from:progress:keeping:)`.
    @discardableResult
    public func uploadResumably(
        _ media: HTTPBody,
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
            source: media,
            contentType: contentType,
            strategy: GoogleResumableUpload(),
            pieceSize: pieceSize,
            options: self.service.adapted(self.options)
        )
        let (_, answer) = try await self.service.fetcher.upload(upload, from: state, progress: progress, keeping: keep)
        return try self.service.decode(answer)
    }
}
