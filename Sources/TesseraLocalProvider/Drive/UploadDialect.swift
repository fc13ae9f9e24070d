// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

/// The variant of Google's resumable upload protocol that a request uses.
enum UploadDialect: Sendable, Hashable {
    /// The variant that uses `uploadType=resumable`, `Content-Range` and status 308 for incomplete uploads.
    case contentRange
    /// The variant that uses `X-Goog-Upload-…` headers.
    case command

    /// The granularity in bytes.
    ///
    /// The size of every chunk except the last must be a multiple of this number.
    static let granularity: Int64 = 256 << 10

    init(_ headers: HTTPFields) {
        let names = ["X-Goog-Upload-Command", "X-Goog-Upload-Protocol"]
        self = names.contains { headers[named: $0] != nil } ? .command : .contentRange
    }

    func address(_ id: String, baseURL: String) -> String {
        let prefix = self == .command ? "/resumable" : ""
        return "\(baseURL)\(prefix)/upload/drive/v3/files?uploadType=resumable&upload_id=\(id)"
    }

    func begun(_ id: String, baseURL: String) -> ProviderResponse {
        let address = self.address(id, baseURL: baseURL)
        var response = ProviderResponse(.ok, headers: [.cacheControl: "no-store"])
        guard self == .command else {
            response.headers[.location] = address
            return response
        }
        response.headers[named: "X-Goog-Upload-Status"] = "active"
        response.headers[named: "X-Goog-Upload-URL"] = address
        response.headers[named: "X-Goog-Upload-Chunk-Granularity"] = String(Self.granularity)
        return response
    }

    /// Returns the response for an incomplete upload.
    func active(received: Int64) -> ProviderResponse {
        var response: ProviderResponse
        switch self {
        case .contentRange:
            response = ProviderResponse(HTTPResponse.Status(code: 308, reasonPhrase: "Resume Incomplete"))
            if received > 0 { response.headers[.range] = "bytes=0-\(received - 1)" }
        case .command:
            response = self.marked(ProviderResponse(.ok), "active", received: received)
        }
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// Returns the response for a complete upload, with the metadata of the file.
    func final(_ response: ProviderResponse, received: Int64) -> ProviderResponse {
        self == .command ? self.marked(response, "final", received: received) : response
    }

    var cancelled: ProviderResponse {
        switch self {
        case .contentRange:
            return ProviderResponse(HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request"))
        case .command:
            var response = ProviderResponse(.ok)
            response.headers[named: "X-Goog-Upload-Status"] = "cancelled"
            return response
        }
    }

    /// Returns the response for a rejected request.
    ///
    /// The session remains active.
    func refused(_ failure: APIFailure, received: Int64) -> ProviderResponse {
        self == .command ? self.marked(failure.response, "active", received: received) : failure.response
    }

    private func marked(_ response: ProviderResponse, _ status: String, received: Int64) -> ProviderResponse {
        var response = response
        response.headers[named: "X-Goog-Upload-Status"] = status
        response.headers[named: "X-Goog-Upload-Size-Received"] = String(received)
        return response
    }
}

/// The operation that a request performs on an upload session, in either variant.
enum UploadStep: Sendable, Hashable {
    /// Returns the number of bytes received.
    ///
    /// If this number equals the total, the upload is completed.
    case query(total: Int64?)
    /// Cancels the session.
    case cancel
    case take(Chunk)
    /// Completes the upload with the bytes that have been received so far.
    case finish

    /// A body that starts at the offset `first` and, if its length is known, has `count` bytes.
    struct Chunk: Sendable, Hashable {
        let first: Int64
        let count: Int64?
        let total: Int64?
        let isLast: Bool
    }

    init(_ request: ProviderRequest, length: Int64?) throws(APIFailure) {
        switch UploadDialect(request.headers) {
        case .contentRange: self = try Self.contentRange(request, length: length)
        case .command: self = try Self.command(request.headers, length: length)
        }
    }

    private static func contentRange(_ request: ProviderRequest, length: Int64?) throws(APIFailure) -> UploadStep {
        if request.method == .delete { return .cancel }
        guard [.put, .post].contains(request.method) else {
            throw .badRequest("An upload session only accepts PUT and DELETE.")
        }
        guard let header = request.headers[.contentRange] else {
            return .take(Chunk(first: 0, count: length, total: length, isLast: true))
        }
        let malformed = APIFailure.badRequest("Failed to parse Content-Range header.")
        guard header.lowercased().hasPrefix("bytes ") else { throw malformed }
        let sides = header.dropFirst("bytes ".count).split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2, sides[1] == "*" || self.number(sides[1]) != nil else { throw malformed }
        let total = self.number(sides[1])
        if sides[0] == "*" {
            guard length ?? 0 == 0 else { throw .badRequest("A status query must not have a body.") }
            return .query(total: total)
        }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false).compactMap { self.number($0) }
        guard ends.count == 2, ends[0] <= ends[1], ends[1] < total ?? .max else { throw malformed }
        let (first, last) = (ends[0], ends[1])
        let count = last - first + 1
        guard length ?? count == count else { throw .badRequest("Content-Range and Content-Length do not match.") }
        return .take(Chunk(first: first, count: count, total: total, isLast: last + 1 == total))
    }

    private static func command(_ headers: HTTPFields, length: Int64?) throws(APIFailure) -> UploadStep {
        let words = (headers[named: "X-Goog-Upload-Command"] ?? "").split(separator: ",")
            .map { $0.trimmed.lowercased() }
        switch words {
        case ["query"]: return .query(total: nil)
        case ["cancel"]: return .cancel
        case ["finalize"]: return .finish
        case ["upload"], ["upload", "finalize"]:
            guard let offset = headers[named: "X-Goog-Upload-Offset"].flatMap({ self.number($0[...]) })
            else { throw .badRequest("X-Goog-Upload-Offset is missing or is not a number.") }
            let isLast = words.count == 2
            let (sum, overflow) = offset.addingReportingOverflow(length ?? 0)
            guard !overflow else { throw .badRequest("X-Goog-Upload-Offset is too large.") }
            let total = isLast && length != nil ? sum : nil
            return .take(Chunk(first: offset, count: length, total: total, isLast: isLast))
        default:
            throw .badRequest("X-Goog-Upload-Command must be upload, finalize, query, cancel, or upload with finalize.")
        }
    }

    private static func number(_ text: Substring) -> Int64? { text.allSatisfy(\.isASCIIDigit) ? Int64(text) : nil }
}
#endif
