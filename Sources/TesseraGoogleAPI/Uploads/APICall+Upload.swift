// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJSON
public import TesseraFetch
public import TesseraOAuth

extension APICall where Request: MediaUploadRequest {
    /// Uploads a body in a single request, which is suitable for files of up to about 5 MB.
    ///
    /// - Parameters:
    ///   - media: The bytes to upload.
    ///   - contentType: The media type of the bytes.
    /// - Returns: The API's response.
    /// - Throws: Any error that ``execute()`` throws.
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
        try await self.service.checkUniverse()
        let response = try await self.service.fetcher.data(
            for: message.request,
            body: body,
            upTo: self.service.settings.maximumResponseBytes,
            options: self.service.adapted(self.options)
        )
        return try self.service.decode(response)
    }

    fileprivate func uploadMessage(_ type: String) throws -> APIMessage {
        try self.message(uploadPath: Request.uploadPath, adding: [("uploadType", type)])
    }
}

extension APICall where Request: ResumableUploadRequest {
    /// Uploads a body in one or more requests, continuing after interruptions.
    ///
    /// - Parameters:
    ///   - media: The bytes to upload, as described in `Upload.source`.
    ///   - contentType: The media type of the bytes.
    ///   - state: The state of an interrupted upload, or nil to begin a new one.
    ///   - pieceSize: The number of bytes in each request, or nil to send all remaining bytes.
    ///   - progress: Receives the upload's progress.
    ///   - save: Called with the state that another program needs to resume the upload. The state is secret.
    /// - Returns: The API's response.
    /// - Throws: Any error that ``execute()`` or `AuthorizedFetcher.upload(_:from:progress:saving:)` throws.
    @discardableResult
    public func uploadResumably(
        _ media: HTTPBody,
        contentType: String = "application/octet-stream",
        from state: UploadState? = nil,
        pieceSize: Int? = nil,
        progress: TransferProgress? = nil,
        saving save: @escaping @Sendable (UploadState) async throws -> Void = { _ in }
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
        try await self.service.checkUniverse()
        let (_, response) = try await self.service.fetcher.upload(upload, from: state, progress: progress, saving: save)
        return try self.service.decode(response)
    }
}
