// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

/// An upload that a server takes in pieces, and that can go on after any interruption.
///
/// ``AuthorizedFetcher/upload(_:from:progress:keeping:)`` carries it out.
public struct Upload: Sendable {
    /// The call that begins it: method, URL, fields of the caller's own.
    public var request: HTTPRequest
    /// What goes with the beginning: for Google, the metadata as JSON.
    public var metadata: HTTPBody?
    /// The bytes.
    public var source: UploadSource
    /// What the bytes are.
    public var contentType: String
    /// How the server wants it.
    public var strategy: any UploadStrategy
    /// How many bytes are sent in one request; rounded to what the server demands.
    ///
    /// Nil for all that is left, which is quickest; of a sequence 8 MiB, since a piece of it is kept in memory.
    public var pieceSize: Int?
    /// What the request does not say.
    public var options: CallOptions

    /// An upload.
    public init(
        _ request: HTTPRequest,
        metadata: HTTPBody? = nil,
        source: UploadSource,
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
