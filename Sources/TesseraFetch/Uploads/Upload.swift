// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

/// An upload that a server takes in pieces, and that can continue after any interruption.
///
/// ``AuthorizedFetcher/upload(_:from:progress:keeping:)`` carries it out.
public struct Upload: Sendable {
    /// The request that begins the upload: method, URL and the caller's fields.
    public var request: HTTPRequest
    /// The body of that request; Google takes the metadata as JSON.
    public var metadata: HTTPBody?
    /// The bytes.
    ///
    /// A file must not change while it is sent: the upload ends with ``FileFailure`` `changed` then, and an interrupted one
    /// begins again. A body that can be read once is kept in memory piece by piece, since a server may request a piece
    /// again. Another program can continue such an upload only with a body that begins with the same bytes.
    public var source: HTTPBody
    /// The media type of the bytes.
    public var contentType: String
    /// The server's protocol.
    public var strategy: any UploadStrategy
    /// The number of bytes in one request, rounded to what the server demands.
    ///
    /// Nil for all that is left, which is quickest, or 8 MiB where a piece is kept in memory.
    public var pieceSize: Int?
    /// Options of the calls.
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
