// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import Tessera
public import TesseraOAuth

/// A resumable upload, which is sent in pieces and can continue after an interruption.
///
/// Perform it with ``AuthorizedFetcher/upload(_:from:progress:saving:)``.
public struct Upload: Sendable {
    /// The request that begins the upload, with its method, URL and custom header fields.
    public var request: HTTPRequest
    /// The body of the first request, for example Google's metadata as JSON.
    public var metadata: HTTPBody?
    /// The bytes to upload.
    ///
    /// A file must not change while it is being sent. If it does, the upload fails with ``FileError`` `changed`, and
    /// resuming it starts from the beginning. If the body can be read only once, each piece is held in memory, because
    /// the server may request it again. Another program can resume such an upload only with a body that begins with the
    /// same bytes.
    public var source: HTTPBody
    /// The media type of the source.
    public var contentType: String
    /// The server's protocol for resumable uploads.
    public var strategy: any UploadStrategy
    /// The number of bytes in each request, rounded to the granularity that the server requires.
    ///
    /// If this is nil, each request sends all remaining bytes, which is the fastest, or 8 MiB if pieces are held in
    /// memory.
    public var pieceSize: Int?
    /// The options for the upload's requests.
    public var options: CallOptions

    /// Creates an upload.
    public init(
        _ request: HTTPRequest,
        metadata: HTTPBody? = nil,
        source: HTTPBody,
        contentType: String = "application/octet-stream",
        strategy: any UploadStrategy,
        pieceSize: Int? = nil,
        options: CallOptions = CallOptions()
    ) {
        self.request = request
        self.metadata = metadata
        self.source = source
        self.contentType = contentType
        self.strategy = strategy
        self.pieceSize = pieceSize
        self.options = options
    }
}

extension AuthorizedFetcher {
    /// Performs a resumable upload that continues after interruptions.
    ///
    /// After a failure, the fetcher asks the server how many bytes it has received and sends the remaining ones. The
    /// settings' ``Backoff`` restarts whenever the server has accepted more bytes. If the server has lost the upload,
    /// it starts over. Pieces are sent without a token, because the session URI is itself a credential, and only to
    /// authorized origins.
    ///
    /// Canceling the task does not cancel the upload on the server. To resume it, even from another program, pass the
    /// last `state` that `save` received. To end it, call ``cancel(_:strategy:)``.
    ///
    /// - Parameters:
    ///   - upload: The upload to perform.
    ///   - state: The state of an interrupted upload, or nil to begin a new one. A state is ignored if it belongs to
    ///     another source or if the file has changed.
    ///   - progress: Receives the upload's progress.
    ///   - save: Called with the state that another program needs to resume the upload, before the first byte is sent
    ///     and whenever the state changes. The state is secret. If `save` throws an error, the upload fails with that
    ///     error.
    /// - Returns: The API's response and its body.
    /// - Throws: ``UploadError`` or ``FileError`` if the upload cannot continue, `UnauthorizedOriginError` if the
    ///   session URI's origin is not authorized, `TransportError` if the network remains unavailable, any error that
    ///   ``data(for:body:upTo:options:)`` throws for an unsuccessful status, or any error that the source throws.
    public func upload(
        _ upload: Upload,
        from state: UploadState? = nil,
        progress: TransferProgress? = nil,
        saving save: @escaping @Sendable (UploadState) async throws -> Void = { _ in }
    ) async throws -> (HTTPResponse, [UInt8]) {
        defer { progress?.finish() }
        var run = UploadOperation(self, upload, from: state, progress, save)
        return try await run.run()
    }

    /// Cancels an interrupted upload on the server, if its protocol supports it and the session still exists.
    public func cancel(_ state: UploadState, strategy: any UploadStrategy) async throws {
        guard let request = strategy.cancellation(to: try UploadOperation.request(to: state.sessionURI)) else { return }
        var options = CallOptions()
        options.hasToken = false
        let response = try await self.sendOnce(request, HTTPBody([]), options)
        await response.drain()
        // Google responds to a canceled upload with 499.
        guard 200...299 ~= response.status || [404, 410, 499].contains(response.status) else {
            throw await self.error(of: response)
        }
    }
}

/// The state that a program needs to resume an interrupted upload.
///
/// The encoded form contains the session URI, which lets anyone write to the upload. Store it where only the user can
/// read it. Servers discard sessions after some time. Google discards them after a week.
public struct UploadState: Sendable, Codable, Hashable {
    /// The secret URI to which the remaining pieces are sent.
    public let sessionURI: Secret
    /// The granularity that the server required, if any.
    let granularity: Int?
    /// The identity of the source, which must be the same when the upload is resumed.
    let source: Fingerprint

    struct Fingerprint: Sendable, Codable, Hashable {
        var length: Int64?
        /// The file's modification date in nanoseconds since 1970, or nil for other sources.
        var modified: Int64?
        /// The SHA-256 digest of bytes in memory.
        var digest: String?
    }

    init(sessionURI: Secret, granularity: Int?, source: Fingerprint) {
        self.sessionURI = sessionURI
        self.granularity = granularity
        self.source = source
    }

    private struct Format: Codable {
        var format: Int
    }

    private struct Record: Codable {
        var format = 1
        var sessionURI: String
        var granularity: Int?
        var length: Int64?
        var modified: Int64?
        var digest: String?
    }

    /// Decodes a state written by ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        func damaged(_ reason: String) -> DecodingError {
            DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
        }
        // Check the format first, because other formats may have different members.
        guard try Format(from: decoder).format == 1 else { throw damaged("unsupported format of a newer version") }
        let record = try Record(from: decoder)
        guard UploadSession.granularities.contains(record.granularity ?? 1) else {
            throw damaged("granularity out of range")
        }
        self.sessionURI = Secret(record.sessionURI)
        self.granularity = record.granularity
        self.source = Fingerprint(length: record.length, modified: record.modified, digest: record.digest)
    }

    /// Encodes the state, including the secret session URI.
    public func encode(to encoder: any Encoder) throws {
        let record = Record(
            sessionURI: self.sessionURI.withUnredacted { $0 },
            granularity: self.granularity,
            length: self.source.length,
            modified: self.source.modified,
            digest: self.source.digest
        )
        try record.encode(to: encoder)
    }
}
