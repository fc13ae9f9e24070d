// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE
public import TesseraFetch
public import TesseraOAuth

extension APICall where Request: MediaDownloadRequest {
    /// The file's contents, as they come.
    ///
    /// - Parameter range: which bytes, nil for all.
    /// - Returns: the contents; whoever does not read them to the end closes the connection.
    /// - Throws: as ``execute()``; `ProtocolViolationError` where other bytes come than were asked for.
    public func media(range: ClosedRange<Int64>? = nil) async throws -> HTTPBody {
        var request = try self.mediaRequest()
        if let range { request.headerFields[.range] = "bytes=\(range.lowerBound)-\(range.upperBound)" }
        let (response, body) = try await self.service.opened(request, options: self.options)
        guard let range else { return body }
        guard response.status == .partialContent, let bytes = ContentRange(response)?.bytes,
            bytes.lowerBound == range.lowerBound, bytes.upperBound <= range.upperBound
        else {
            throw ProtocolViolationError(
                .apiAnswer,
                expected: "206 and bytes from \(range.lowerBound) to \(range.upperBound) at most",
                actual: "\(response.status.code) \(response.headerFields[.contentRange] ?? "")",
                section: "RFC 9110, section 14"
            )
        }
        return body
    }

    /// Downloads the file's contents to a file, which is there when it is whole; goes on with what an earlier try left.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - resumes: whether to go on with what an earlier download left.
    ///   - overwrites: Whether a file that has the name is replaced. Pass false where the API chose the name.
    ///   - progress: gets the steps.
    /// - Returns: the head of the last answer.
    /// - Throws: as `AuthorizedFetcher.download(_:to:resumes:overwrites:options:progress:)`.
    @discardableResult
    public func download(
        to path: String,
        resumes: Bool = true,
        overwrites: Bool = true,
        progress: TransferProgress? = nil
    ) async throws -> HTTPResponse {
        try await self.service.fetcher.download(
            try self.mediaRequest(),
            to: path,
            resumes: resumes,
            overwrites: overwrites,
            options: self.service.adapted(self.options),
            progress: progress
        )
    }

    private func mediaRequest() throws -> HTTPRequest {
        var request = try self.message(adding: [("alt", "media")]).request
        request.headerFields[.accept] = nil
        return request
    }
}
