// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth
internal import TesseraSupport

/// A small upload with its metadata in the same request, for `uploadType=multipart` at an API's `/upload/` path.
///
/// This kind of upload is suitable for up to about 5 MB, because an interrupted upload starts over. Use a resumable
/// upload for larger files.
///
/// - SeeAlso: [Multipart uploads](https://developers.google.com/workspace/drive/api/guides/manage-uploads#multipart),
///   [RFC 2387](https://www.rfc-editor.org/rfc/rfc2387.html)
public enum MultipartUpload {
    /// Returns a request and its body for a fetcher to send.
    ///
    /// - Parameters:
    ///   - request: The method, URL and header fields. The URL must contain `uploadType=multipart`.
    ///   - metadata: The metadata as a JSON object.
    ///   - media: The bytes to upload, which are streamed. If they are replayable, so is the request.
    ///   - contentType: The media type of the bytes.
    ///   - boundary: The delimiter, which consists of 1 to 70 letters, digits and hyphens, and must not occur in the
    ///     parts. By default, it is random.
    /// - Returns: The request and its body for `AuthorizedFetcher.send(_:body:options:)`.
    /// - Throws: `InvalidRequestError` if the media type or the boundary is not valid.
    public static func make(
        _ request: HTTPRequest,
        metadata: [UInt8],
        media: HTTPBody,
        contentType: String = "application/octet-stream",
        boundary: String? = nil
    ) throws -> (HTTPRequest, HTTPBody) {
        let boundary = boundary ?? Self.randomBoundary()
        let isBoundary = boundary.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
        guard isBoundary, 1...70 ~= boundary.utf8.count else {
            throw InvalidRequestError("boundary", reason: "must consist of 1 to 70 letters, digits and hyphens")
        }
        guard contentType.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw InvalidRequestError("contentType", reason: "a media type is ASCII text without line breaks")
        }
        var request = request
        request.headerFields[.contentType] = "multipart/related; boundary=\(boundary)"
        let head =
            Array("--\(boundary)\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n".utf8) + metadata
            + Array("\r\n--\(boundary)\r\nContent-Type: \(contentType)\r\n\r\n".utf8)
        let end = Array("\r\n--\(boundary)--\r\n".utf8)
        let length = media.length.map { $0 + Int64(head.count + end.count) }
        let body = HTTPBody(length: length, isReplayable: media.isReplayable) {
            var (parts, chunks) = ([head], media.makeAsyncIterator())
            var hasEnded = false
            return {
                if let part = parts.popLast() { return part }
                guard !hasEnded else { return nil }
                if let chunk = try await chunks.next() { return chunk }
                hasEnded = true
                return end
            }
        }
        return (request, body)
    }

    private static func randomBoundary() -> String {
        let digits = Array("0123456789abcdef")
        return "tessera-" + String((0..<32).map { _ in digits[Int.random(in: 0..<16)] })
    }
}
