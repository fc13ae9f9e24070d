// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraFetch
internal import TesseraOAuth

/// Google's resumable upload protocol, with `uploadType=resumable` at an API's `/upload/` path.
///
/// The first request is the caller's request with optional JSON metadata as its body. `uploadType` is added if it is
/// missing. Google discards an upload one week after it begins.
///
/// - SeeAlso: [Resumable uploads](https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable)
public struct GoogleResumableUpload: UploadStrategy, Hashable {
    /// The granularity, which is 256 KiB.
    public let granularity = 256 << 10

    /// Creates the upload strategy.
    public init() {}

    /// Returns the caller's request with the upload's media type and length added.
    public func beginning(of upload: Upload, length: Int64?) throws -> HTTPRequest {
        var request = upload.request
        let query = (request.path ?? "/").split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let hasType = query.split(separator: "&").contains { $0.hasPrefix("uploadType=") }
        if !hasType { request.path = (request.path ?? "/") + (query.isEmpty ? "?" : "&") + "uploadType=resumable" }
        request.headerFields[.xUploadContentType] = upload.contentType
        request.headerFields[.xUploadContentLength] = length.map(String.init)
        if upload.metadata != nil, request.headerFields[.contentType] == nil {
            request.headerFields[.contentType] = "application/json; charset=UTF-8"
        }
        return request
    }

    /// Returns an upload session with the URI from the `Location` header field.
    public func session(in response: HTTPResponse) throws -> UploadSession {
        guard let location = response.headerFields[.location] else { throw UploadError(.noSession) }
        return UploadSession(uri: Secret(location))
    }

    /// Returns a `PUT` request with a `Content-Range` header field.
    public func request(for piece: UploadPiece, to sessionURI: HTTPRequest) -> HTTPRequest {
        var request = sessionURI
        request.method = .put
        let total = piece.isLast ? "\(piece.end)" : piece.total.map(String.init) ?? "*"
        request.headerFields[.contentRange] =
            piece.count == 0 ? "bytes */\(total)" : "bytes \(piece.offset)-\(piece.end - 1)/\(total)"
        return request
    }

    /// Returns a `PUT` request without a body.
    public func inquiry(length: Int64?, to sessionURI: HTTPRequest) -> HTTPRequest {
        var request = sessionURI
        request.method = .put
        request.headerFields[.contentRange] = "bytes */\(length.map(String.init) ?? "*")"
        return request
    }

    /// Returns a `DELETE` request.
    public func cancellation(to sessionURI: HTTPRequest) -> HTTPRequest? {
        var request = sessionURI
        request.method = .delete
        return request
    }

    /// Interprets a 308 response's `Range` field as the number of bytes received, and a 404 or 410 response as a lost
    /// upload.
    public func interpret(_ response: HTTPResponse, to piece: UploadPiece?) throws -> UploadResponse {
        switch response.status.code {
        case 308:
            let place = response.headerFields[.location].map { Secret($0) }
            guard let range = response.headerFields[.range] else { return .active(received: 0, movedTo: place) }
            guard range.hasPrefix("bytes=0-"), let last = Int64(range.dropFirst("bytes=0-".count)),
                0..<Int64.max ~= last
            else {
                return .active(received: nil, movedTo: place)
            }
            return .active(received: last + 1, movedTo: place)
        case 200...299: return .complete
        case 404, 410: return .gone
        default: return .refused
        }
    }
}

extension HTTPField.Name {
    /// The header field with the upload's media type.
    fileprivate static let xUploadContentType = Self(known: "X-Upload-Content-Type")
    /// The header field with the upload's length.
    fileprivate static let xUploadContentLength = Self(known: "X-Upload-Content-Length")
}
