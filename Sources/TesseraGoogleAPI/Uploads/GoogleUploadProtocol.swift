// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraFetch
internal import TesseraOAuth

/// The uploads with `X-Goog-Upload` fields, which Google Photos, Gemini and some other APIs take, at their `/upload/` or
/// `/resumable/upload/` paths.
///
/// - SeeAlso: [Resumable uploads of Google Photos](https://developers.google.com/photos/library/guides/resumable-uploads)
public struct GoogleUploadProtocol: UploadStrategy, Hashable {
    /// 256 KiB, unless the server says another number.
    public let granularity = 256 << 10

    /// The strategy.
    public init() {}

    /// The caller's request with the command `start`.
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

    /// What `X-Goog-Upload-URL` names, and how large pieces have to be.
    public func session(in response: HTTPResponse) throws -> UploadSession {
        guard Self.status(response) == "active", let uri = response.headerFields[named: "X-Goog-Upload-URL"] else {
            throw UploadError(.noSession)
        }
        let granularity = response.headerFields[named: "X-Goog-Upload-Chunk-Granularity"].flatMap { Int($0) }
        return UploadSession(uri: Secret(uri), granularity: granularity)
    }

    /// The commands `upload` and `finalize`.
    public func request(for piece: UploadPiece, to sessionURI: HTTPRequest) -> HTTPRequest {
        var request = sessionURI
        Self.set(&request, piece.isLast ? (piece.count == 0 ? "finalize" : "upload, finalize") : "upload")
        request.headerFields[named: "X-Goog-Upload-Offset"] = "\(piece.offset)"
        return request
    }

    /// The command `query`.
    public func inquiry(length: Int64?, to sessionURI: HTTPRequest) -> HTTPRequest {
        var request = sessionURI
        Self.set(&request, "query")
        return request
    }

    /// The command `cancel`.
    public func cancellation(to sessionURI: HTTPRequest) -> HTTPRequest? {
        var request = sessionURI
        Self.set(&request, "cancel")
        return request
    }

    /// `X-Goog-Upload-Status` and `X-Goog-Upload-Size-Received`.
    public func answer(_ response: HTTPResponse, to piece: UploadPiece?) throws -> UploadAnswer {
        let isSuccess = response.status.kind == .successful
        switch Self.status(response) {
        case "active":
            let size = response.headerFields[named: "X-Goog-Upload-Size-Received"].flatMap { Int64($0) }
            // A piece that is simply taken may be answered without a number.
            return .active(received: size ?? (isSuccess ? piece?.end : nil))
        case "final": return isSuccess ? .complete : .refused
        case "cancelled": throw UploadError(.cancelled)
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
