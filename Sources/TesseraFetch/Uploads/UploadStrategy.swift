// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

/// A server's protocol for uploads in pieces.
///
/// A strategy makes requests and reads responses. The fetcher decides which request is sent, and when. TesseraGoogleAPI
/// has `GoogleResumableUpload` and `GoogleUploadProtocol`.
public protocol UploadStrategy: Sendable {
    /// The number of bytes of which every piece but the last is a multiple, unless a server demands another; at least 1.
    var granularity: Int { get }

    /// Returns the request that begins an upload, made of the caller's own request.
    func beginning(of upload: Upload, length: Int64?) throws -> HTTPRequest

    /// Reads the successful response to the beginning.
    ///
    /// - Throws: ``UploadError`` for a response without a session.
    func session(in response: HTTPResponse) throws -> UploadSession

    /// Returns the request that carries a piece to the session URI.
    func request(for piece: UploadPiece, to sessionURI: HTTPRequest) -> HTTPRequest

    /// Returns the request that asks how many bytes the server has.
    func inquiry(length: Int64?, to sessionURI: HTTPRequest) -> HTTPRequest

    /// Returns the request that ends an upload for good, nil if there is none.
    func cancellation(to sessionURI: HTTPRequest) -> HTTPRequest?

    /// Reads the response to a piece, or to an inquiry if the piece is nil.
    ///
    /// It is not called for responses that the fetcher's ``RetryPolicy`` treats as temporary failures.
    func answer(_ response: HTTPResponse, to piece: UploadPiece?) throws -> UploadAnswer
}

/// A part of an upload that is sent in one request.
public struct UploadPiece: Sendable, Hashable {
    /// Where the piece begins.
    public var offset: Int64
    /// Its length; 0 for the end of what has been sent already.
    public var count: Int64
    /// The length of the whole, nil while it is unknown.
    public var total: Int64?
    /// Whether it ends the upload.
    public var isLast: Bool

    /// Creates a piece.
    public init(offset: Int64, count: Int64, total: Int64?, isLast: Bool) {
        self.offset = offset
        self.count = count
        self.total = total
        self.isLast = isLast
    }

    /// Where the piece ends.
    public var end: Int64 { self.offset + self.count }
}

/// A new upload at a server.
public struct UploadSession: Sendable {
    /// Where the server takes the pieces, absolute or a path of the same origin.
    public var uri: Secret
    /// The granularity that the server demands; nil for the strategy's own, and for a number outside 1…64 MiB.
    ///
    /// A piece of a sequence is held in memory, so a server must not demand pieces of any size.
    public var granularity: Int?

    static let granularities = 1...(64 << 20)

    /// Creates a session.
    public init(uri: Secret, granularity: Int? = nil) {
        self.uri = uri
        self.granularity = granularity.flatMap { Self.granularities.contains($0) ? $0 : nil }
    }
}

/// The state of an upload as a response describes it.
public enum UploadAnswer: Sendable, Hashable {
    /// The server has this many bytes, nil if it does not say, and waits for more, perhaps at another URI from now on.
    case active(received: Int64?, movedTo: Secret? = nil)
    /// The server has everything. The response is the API's.
    case complete
    /// The server does not know the upload, which has to begin again.
    case gone
    /// The server refused. The response explains why.
    case refused
}
