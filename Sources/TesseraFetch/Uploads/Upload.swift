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
    /// A file must not change while it is sent: the upload ends with ``FileError`` `changed` then, and an interrupted one
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

/// What a program has to keep to go on with an upload after its end: where the server takes the rest, and of what.
///
/// Its encoded form holds the session URI, by which anybody can write into the upload: keep it where nobody else reads.
/// Servers forget it; Google's after a week.
public struct UploadState: Sendable, Codable, Hashable {
    /// Where the server takes the rest: a secret.
    public let sessionURI: Secret
    /// How many bytes a piece has to be a multiple of, where the server said so.
    let granularity: Int?
    /// Length and date of the file, or the bytes' digest, which has to be the same when the upload goes on.
    let source: Fingerprint

    struct Fingerprint: Sendable, Codable, Hashable {
        var length: Int64?
        /// In nanoseconds since 1970; nil for what is no file.
        var modified: Int64?
        /// The SHA-256 of bytes in memory.
        var digest: String?
    }

    init(sessionURI: Secret, granularity: Int?, source: Fingerprint) {
        self.sessionURI = sessionURI
        self.granularity = granularity
        self.source = source
    }

    private enum CodingKeys: String, CodingKey {
        case format, sessionURI, granularity, length, modified, digest
    }

    /// Reads what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard try values.decode(Int.self, forKey: .format) == 1 else {
            throw DecodingError.dataCorruptedError(forKey: .format, in: values, debugDescription: "of a newer version")
        }
        self.sessionURI = Secret(try values.decode(String.self, forKey: .sessionURI))
        self.granularity = try values.decodeIfPresent(Int.self, forKey: .granularity)
        guard UploadSession.granularities.contains(self.granularity ?? 1) else {
            throw DecodingError.dataCorruptedError(forKey: .granularity, in: values, debugDescription: "out of range")
        }
        self.source = Fingerprint(
            length: try values.decodeIfPresent(Int64.self, forKey: .length),
            modified: try values.decodeIfPresent(Int64.self, forKey: .modified),
            digest: try values.decodeIfPresent(String.self, forKey: .digest)
        )
    }

    /// Writes it, the secret included.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(1, forKey: .format)
        try values.encode(self.sessionURI.withUnredacted { $0 }, forKey: .sessionURI)
        try values.encodeIfPresent(self.granularity, forKey: .granularity)
        try values.encodeIfPresent(self.source.length, forKey: .length)
        try values.encodeIfPresent(self.source.modified, forKey: .modified)
        try values.encodeIfPresent(self.source.digest, forKey: .digest)
    }
}
