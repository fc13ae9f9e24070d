// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

/// Which of Google's two resumable protocols a request speaks.
enum UploadDialect: Sendable, Hashable {
    /// `uploadType=resumable`: `Content-Range`, and 308 for what is not complete.
    case contentRange
    /// The headers `X-Goog-Upload-…`.
    case command

    /// What every chunk but the last is a multiple of.
    static let granularity: Int64 = 256 << 10

    init(_ headers: HTTPFields) {
        let names = ["X-Goog-Upload-Command", "X-Goog-Upload-Protocol"]
        self = names.contains { headers[named: $0] != nil } ? .command : .contentRange
    }

    /// Where a session is reached.
    func address(_ id: String, baseURL: String) -> String {
        let prefix = self == .command ? "/resumable" : ""
        return "\(baseURL)\(prefix)/upload/drive/v3/files?uploadType=resumable&upload_id=\(id)"
    }

    /// The session was begun.
    func begun(_ id: String, baseURL: String) -> EndpointResponse {
        var response = EndpointResponse(.ok)
        response.headers[.cacheControl] = "no-store"
        switch self {
        case .contentRange:
            response.headers[.location] = self.address(id, baseURL: baseURL)
        case .command:
            response.headers[named: "X-Goog-Upload-Status"] = "active"
            response.headers[named: "X-Goog-Upload-URL"] = self.address(id, baseURL: baseURL)
            response.headers[named: "X-Goog-Upload-Chunk-Granularity"] = String(Self.granularity)
        }
        return response
    }

    /// The session waits for more than the bytes that it has.
    func active(received: Int64) -> EndpointResponse {
        var response: EndpointResponse
        switch self {
        case .contentRange:
            response = EndpointResponse(HTTPResponse.Status(code: 308, reasonPhrase: "Resume Incomplete"))
            if received > 0 { response.headers[.range] = "bytes=0-\(received - 1)" }
        case .command:
            response = self.marked(EndpointResponse(.ok), "active", received: received)
        }
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// The upload is complete: the file's metadata.
    func final(_ response: EndpointResponse, received: Int64) -> EndpointResponse {
        self == .command ? self.marked(response, "final", received: received) : response
    }

    /// The session was given up.
    var cancelled: EndpointResponse {
        switch self {
        case .contentRange:
            return EndpointResponse(HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request"))
        case .command:
            var response = EndpointResponse(.ok)
            response.headers[named: "X-Goog-Upload-Status"] = "cancelled"
            return response
        }
    }

    /// The request is refused; the session stays.
    func refused(_ failure: APIFailure, received: Int64) -> EndpointResponse {
        self == .command ? self.marked(failure.response, "active", received: received) : failure.response
    }

    private func marked(_ response: EndpointResponse, _ status: String, received: Int64) -> EndpointResponse {
        var response = response
        response.headers[named: "X-Goog-Upload-Status"] = status
        response.headers[named: "X-Goog-Upload-Size-Received"] = String(received)
        return response
    }
}
#endif
