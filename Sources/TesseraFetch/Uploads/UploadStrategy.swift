// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

/// A server's protocol for resumable uploads.
///
/// A strategy creates requests and interprets responses. The fetcher decides which request to send, and when.
/// TesseraGoogleAPI provides `GoogleResumableUpload` and `GoogleUploadProtocol`.
public protocol UploadStrategy: Sendable {
    /// The granularity in bytes, which is at least 1.
    ///
    /// The size of every piece except the last is a multiple of this number, unless the server requires a different
    /// one.
    var granularity: Int { get }

    /// Returns the request that begins an upload, based on the caller's request.
    func beginning(of upload: Upload, length: Int64?) throws -> HTTPRequest

    /// Returns the session in the successful response to the first request.
    ///
    /// - Throws: ``UploadError`` if the response does not contain a session.
    func session(in response: HTTPResponse) throws -> UploadSession

    /// Returns the request that sends a piece to the session URI.
    func request(for piece: UploadPiece, to sessionURI: HTTPRequest) -> HTTPRequest

    /// Returns a request that asks the server how many bytes it has received.
    func inquiry(length: Int64?, to sessionURI: HTTPRequest) -> HTTPRequest

    /// Returns the request that cancels an upload, or nil if the protocol does not support cancellation.
    func cancellation(to sessionURI: HTTPRequest) -> HTTPRequest?

    /// Interprets the response to a piece, or to an inquiry if the piece is nil.
    ///
    /// The fetcher does not call this method for responses that its ``RetryPolicy`` treats as temporary failures.
    func interpret(_ response: HTTPResponse, to piece: UploadPiece?) throws -> UploadResponse
}

/// The part of an upload that is sent in one request.
public struct UploadPiece: Sendable, Hashable {
    /// The offset of the first byte.
    public var offset: Int64
    /// The number of bytes, which is 0 if the piece only marks the end of the upload.
    public var count: Int64
    /// The total length of the upload, or nil if it is not known yet.
    public var total: Int64?
    /// Whether this is the upload's last piece.
    public var isLast: Bool

    /// Creates a piece.
    public init(offset: Int64, count: Int64, total: Int64?, isLast: Bool) {
        self.offset = offset
        self.count = count
        self.total = total
        self.isLast = isLast
    }

    /// The offset after the last byte.
    public var end: Int64 { self.offset + self.count }
}

/// An upload session on a server.
public struct UploadSession: Sendable {
    /// The URI to which pieces are sent, either absolute or as a path at the same origin.
    public var uri: Secret
    /// The granularity in bytes that the server requires, or nil to use the strategy's.
    ///
    /// A number outside 1…64 MiB is ignored, because the pieces of a sequence are held in memory.
    public var granularity: Int?

    static let granularities = 1...(64 << 20)

    /// Creates an upload session.
    public init(uri: Secret, granularity: Int? = nil) {
        self.uri = uri
        self.granularity = granularity.flatMap { Self.granularities.contains($0) ? $0 : nil }
    }
}

/// The state of an upload, as reported by the server.
public enum UploadResponse: Sendable, Hashable {
    /// The server has received this many bytes, or nil if unknown, and expects more, possibly at another URI.
    case active(received: Int64?, movedTo: Secret? = nil)
    /// The upload is complete, and the response is the API's response.
    case complete
    /// The session no longer exists, and the upload must start over.
    case gone
    /// The server rejected the request for the reason given in the response.
    case refused
}
