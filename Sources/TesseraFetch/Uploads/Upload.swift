// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import Tessera
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

extension AuthorizedFetcher {
    /// Uploads in pieces, and continues after interruptions.
    ///
    /// Nothing is sent twice without need: after a failure the server is asked how much it has, and gets the rest. The
    /// settings' ``Backoff`` counts from the last byte that the server took. If the server forgot the upload, it begins
    /// again. The pieces have no token, since the session URI is a credential itself, and go to authorized origins only.
    ///
    /// A cancelled upload stays at the server. The `state` that `keep` got last continues it, also in another program, and
    /// ``cancel(_:strategy:)`` ends it.
    ///
    /// - Parameters:
    ///   - upload: The bytes, where they go, and how.
    ///   - state: The state of an interrupted upload; nil begins one. It is ignored if it belongs to another source, or to
    ///     a file that changed since.
    ///   - progress: Gets the steps; one for each upload.
    ///   - keep: Gets the state that another program needs, before the first byte is sent and whenever it changes. It is a
    ///     secret. An error that `keep` throws ends the upload.
    /// - Returns: The API's response with its body.
    /// - Throws: ``UploadError``; ``FileError``; `UnauthorizedOriginError` for a session URI elsewhere; the errors of
    ///   ``data(for:body:upTo:options:)`` for a status that is not a success; `TransportError` if the network stays away;
    ///   the errors of the source.
    public func upload(
        _ upload: Upload,
        from state: UploadState? = nil,
        progress: TransferProgress? = nil,
        keeping keep: @escaping @Sendable (UploadState) async throws -> Void = { _ in }
    ) async throws -> (HTTPResponse, [UInt8]) {
        defer { progress?.finish() }
        var run = UploadRun(self, upload, from: state, progress, keep)
        return try await run.run()
    }

    /// Ends an interrupted upload at the server, unless the server has forgotten it or has no request for that.
    public func cancel(_ state: UploadState, strategy: any UploadStrategy) async throws {
        guard let request = strategy.cancellation(to: try UploadRun.request(to: state.sessionURI)) else { return }
        var options = CallOptions()
        options.hasToken = false
        let response = try await self.sendOnce(request, HTTPBody([]), options)
        await response.drain()
        // Google reports a cancelled upload with 499.
        guard 200...299 ~= response.status || [404, 410, 499].contains(response.status) else {
            throw await self.error(of: response)
        }
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

    /// Reads what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        func damaged(_ reason: String) -> DecodingError {
            DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
        }
        // Another format may have other members.
        guard try Format(from: decoder).format == 1 else { throw damaged("format of a newer version") }
        let record = try Record(from: decoder)
        guard UploadSession.granularities.contains(record.granularity ?? 1) else {
            throw damaged("granularity out of range")
        }
        self.sessionURI = Secret(record.sessionURI)
        self.granularity = record.granularity
        self.source = Fingerprint(length: record.length, modified: record.modified, digest: record.digest)
    }

    /// Writes the state, including the secret session URI.
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
