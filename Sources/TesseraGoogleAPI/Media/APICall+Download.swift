// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE
public import TesseraFetch
public import TesseraOAuth

extension APICall where Request: MediaDownloadRequest {
    /// Returns the contents of the file, which can be read as they arrive.
    ///
    /// - Parameter range: The range of bytes, or nil for the whole file.
    /// - Returns: The contents. If they are not read to the end, the connection is closed.
    /// - Throws: Any error that ``execute()`` throws, or `ProtocolViolationError` if the response contains different
    ///   bytes from those requested.
    public func media(range: ClosedRange<Int64>? = nil) async throws -> HTTPBody {
        var request = try self.mediaRequest()
        if let range {
            request.headerFields[.range] = "bytes=\(range.lowerBound)-\(range.upperBound)"
            // The range is one of the bytes as they are sent, which some transports decompress.
            request.headerFields[.acceptEncoding] = "identity"
        }
        let (response, body) = try await self.service.opened(request, options: self.options)
        guard let range else { return body }
        // Only the end of the file may shorten the range.
        guard response.status == .partialContent, let content = ContentRange(response), let bytes = content.bytes,
            bytes.lowerBound == range.lowerBound, bytes.upperBound <= range.upperBound,
            bytes.upperBound == range.upperBound || content.total == bytes.upperBound + 1
        else {
            throw ProtocolViolationError(
                .apiResponse,
                expected: "status 206 and bytes in the range from \(range.lowerBound) to \(range.upperBound)",
                actual: "\(response.status.code) \(response.headerFields[.contentRange] ?? "")",
                section: "RFC 9110, section 14"
            )
        }
        return body
    }

    /// Downloads the contents to a file that appears when the download is complete.
    ///
    /// An interrupted download continues where it stopped.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - resumes: Whether to continue an earlier download.
    ///   - overwrites: Whether to replace an existing file. Pass false if the API chose the name.
    ///   - progress: Receives the download's progress.
    /// - Returns: The head of the last response.
    /// - Throws: Any error that `AuthorizedFetcher.download(_:to:resumes:overwrites:options:progress:)` throws.
    @discardableResult
    public func download(
        to path: String,
        resumes: Bool = true,
        overwrites: Bool = true,
        progress: TransferProgress? = nil
    ) async throws -> HTTPResponse {
        try await self.service.checkUniverse()
        return try await self.service.fetcher.download(
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
