// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraFetch
internal import TesseraOAuth

/// The upload protocol that uses `X-Goog-Upload` fields, for Google Photos, Gemini and some other APIs.
///
/// These APIs accept uploads at their `/upload/` or `/resumable/upload/` paths.
///
/// - SeeAlso: [Resumable uploads of Google Photos](https://developers.google.com/photos/library/guides/resumable-uploads)
public struct GoogleUploadProtocol: UploadStrategy, Hashable {
    /// The granularity, which is 256 KiB unless the server requires a different one.
    public let granularity = 256 << 10

    /// Creates the upload strategy.
    public init() {}

    /// Returns the caller's request with the `start` command.
    public func beginning(of upload: Upload, length: Int64?) throws -> HTTPRequest {
        var request = upload.request
        Self.set(&request, "start")
        request.headerFields[named: "X-Goog-Upload-Content-Type"] = upload.contentType
        request.headerFields[named: "X-Goog-Upload-Header-Content-Type"] = upload.contentType
        request.headerFields[named: "X-Goog-Upload-Header-Content-Length"] = length.map(String.init)
        request.headerFields[named: "X-Goog-Upload-Content-Length"] = length.map(String.init)
        if upload.metadata != nil, request.headerFields[.contentType] == nil {
            request.headerFields[.contentType] = "application/json; charset=UTF-8"
        }
        return request
    }

    /// Returns an upload session with the URI from `X-Goog-Upload-URL` and the granularity that the server requires.
    public func session(in response: HTTPResponse) throws -> UploadSession {
        guard Self.status(response) == "active", let uri = response.headerFields[named: "X-Goog-Upload-URL"] else {
            throw UploadError(.noSession)
        }
        let granularity = response.headerFields[named: "X-Goog-Upload-Chunk-Granularity"].flatMap { Int($0) }
        return UploadSession(uri: Secret(uri), granularity: granularity)
    }

    /// Returns a request with the `upload` command, the `finalize` command, or both.
    public func request(for piece: UploadPiece, to sessionURI: HTTPRequest) -> HTTPRequest {
        var request = sessionURI
        Self.set(&request, piece.isLast ? (piece.count == 0 ? "finalize" : "upload, finalize") : "upload")
        request.headerFields[named: "X-Goog-Upload-Offset"] = "\(piece.offset)"
        return request
    }

    /// Returns a request with the `query` command.
    public func inquiry(length: Int64?, to sessionURI: HTTPRequest) -> HTTPRequest {
        var request = sessionURI
        Self.set(&request, "query")
        return request
    }

    /// Returns a request with the `cancel` command.
    public func cancellation(to sessionURI: HTTPRequest) -> HTTPRequest? {
        var request = sessionURI
        Self.set(&request, "cancel")
        return request
    }

    /// Interprets the `X-Goog-Upload-Status` and `X-Goog-Upload-Size-Received` header fields.
    public func interpret(_ response: HTTPResponse, to piece: UploadPiece?) throws -> UploadResponse {
        let isSuccess = response.status.kind == .successful
        switch Self.status(response) {
        case "active":
            let size = response.headerFields[named: "X-Goog-Upload-Size-Received"].flatMap { Int64($0) }
            // The response to an accepted piece may omit the size.
            return .active(received: size ?? (isSuccess ? piece?.end : nil))
        case "final": return isSuccess ? .complete : .refused
        case "cancelled": throw UploadError(.canceled)
        default: return [404, 410].contains(response.status.code) ? .gone : .refused
        }
    }

    private static func status(_ response: HTTPResponse) -> String? {
        response.headerFields[named: "X-Goog-Upload-Status"]?.lowercased()
    }

    private static func set(_ request: inout HTTPRequest, _ command: String) {
        if request.method == .get || command != "start" { request.method = .post }
        request.headerFields[named: "X-Goog-Upload-Protocol"] = "resumable"
        request.headerFields[named: "X-Goog-Upload-Command"] = command
    }
}
