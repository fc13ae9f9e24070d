// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraFetch
internal import TesseraOAuth

/// Google's documented resumable uploads: `uploadType=resumable` at an API's `/upload/` path.
///
/// The beginning is the caller's request, with the metadata as JSON where there is any; `uploadType` is added where it is
/// missing. Google forgets an upload a week after its beginning.
///
/// - SeeAlso: [Resumable uploads](https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable)
public struct GoogleResumableUpload: UploadStrategy, Hashable {
    /// 256 KiB.
    public let granularity = 256 << 10

    /// The strategy.
    public init() {}

    /// The caller's request, with what the bytes are and how many.
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

    /// What `Location` names.
    public func session(in response: HTTPResponse) throws -> UploadSession {
        guard let location = response.headerFields[.location] else { throw UploadError(.noSession) }
        return UploadSession(uri: Secret(location))
    }

    /// `PUT` with `Content-Range`.
    public func request(for piece: UploadPiece, to sessionURI: HTTPRequest) -> HTTPRequest {
        var request = sessionURI
        request.method = .put
        let total = piece.isLast ? "\(piece.end)" : piece.total.map(String.init) ?? "*"
        request.headerFields[.contentRange] =
            piece.count == 0 ? "bytes */\(total)" : "bytes \(piece.offset)-\(piece.end - 1)/\(total)"
        return request
    }

    /// `PUT` of nothing.
    public func inquiry(length: Int64?, to sessionURI: HTTPRequest) -> HTTPRequest {
        var request = sessionURI
        request.method = .put
        request.headerFields[.contentRange] = "bytes */\(length.map(String.init) ?? "*")"
        return request
    }

    /// `DELETE`.
    public func cancellation(to sessionURI: HTTPRequest) -> HTTPRequest? {
        var request = sessionURI
        request.method = .delete
        return request
    }

    /// 308 with `Range` is how far it is, 404 and 410 are forgotten uploads.
    public func answer(_ response: HTTPResponse, to piece: UploadPiece?) throws -> UploadAnswer {
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
    /// The media type of an upload.
    fileprivate static let xUploadContentType = Self(known: "X-Upload-Content-Type")
    /// The length of an upload.
    fileprivate static let xUploadContentLength = Self(known: "X-Upload-Content-Length")
}
