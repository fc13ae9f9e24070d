// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

/// Says how a server takes an upload in pieces: the door for its protocol.
///
/// It makes requests and reads answers; when which is sent, and again, is the fetcher's. `GoogleResumableUpload` and
/// `GoogleUploadProtocol` of `TesseraGoogleAPI` are the ones there are.
public protocol UploadStrategy: Sendable {
    /// Every piece but the last has to be a multiple of this many bytes, unless a server says another number; at least 1.
    var granularity: Int { get }

    /// The request that begins an upload, with the caller's own request and its body.
    func beginning(of upload: Upload, length: Int64?) throws -> HTTPRequest

    /// What the answer to the beginning, a success, says.
    ///
    /// - Throws: ``UploadFailure`` for an answer without a session.
    func session(in response: HTTPResponse) throws -> UploadSession

    /// The request that carries a piece to the session URI.
    func request(for piece: UploadPiece, to sessionURI: HTTPRequest) -> HTTPRequest

    /// The request that asks how much there is.
    func inquiry(length: Int64?, to sessionURI: HTTPRequest) -> HTTPRequest

    /// The request that ends an upload for good, nil where there is none.
    func cancellation(to sessionURI: HTTPRequest) -> HTTPRequest?

    /// What an answer to a piece or an inquiry says; the piece is nil for an inquiry.
    ///
    /// Answers that are failures for now are the fetcher's ``RetryPolicy``'s, which is asked first.
    func answer(_ response: HTTPResponse, to piece: UploadPiece?) throws -> UploadAnswer
}
