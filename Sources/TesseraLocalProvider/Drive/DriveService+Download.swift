// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraSupport

extension DriveService {
    /// Handles `files.get` with `alt=media`, which returns the content or the requested range.
    ///
    /// Conditional range requests follow RFC 9110.
    func download(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        var request = call.request
        if call.fault == .ignoredRange { request.head.headerFields[.range] = nil }
        if call.fault == .changedFile { self.pretendedChanges.withLock { $0[call.id, default: 0] += 1 } }
        let file = try self.visibleFile(call)
        switch file.content {
        case .none:
            let message = "Only files with binary content can be downloaded."
            throw APIFailure(.forbidden, "fileNotDownloadable", message, location: ("parameter", "alt"))
        case .memory(let bytes):
            let modifiedTime = file.modifiedTime.timeIntervalSince1970
            let tag = self.entityTag(self.checksum(of: file) ?? "", modifiedTime: modifiedTime, id: file.id)
            return Self.response(file, tag, size: Int64(bytes.count), request) { first, count in
                .bytes(Array(bytes.dropFirst(Int(first)).prefix(count)))
            }
        case .disk(let name, _):
            guard let opened = self.directory?.open(name), let version = opened.version else {
                throw .notFound(file.id)
            }
            let tag = self.entityTag(version.text, modifiedTime: version.modifiedTime, id: file.id)
            return Self.response(file, tag, size: opened.size, request) { first, count in
                .file(DriveDownload(file: opened, offset: first, length: count, executor: self.executor))
            }
        }
    }

    private func entityTag(_ version: String, modifiedTime: Double, id: String) -> EntityTag {
        let changes = self.pretendedChanges.withLock { $0[id] ?? 0 }
        return EntityTag(
            text: changes == 0 ? "\"\(version)\"" : "\"\(version)-changed-\(changes)\"",
            lastModified: HTTPDate.text(secondsSince1970: modifiedTime + Double(changes))
        )
    }

    private static func response(
        _ file: DriveFile,
        _ tag: EntityTag,
        size: Int64,
        _ request: ProviderRequest,
        _ content: (_ first: Int64, _ count: Int) -> ProviderResponse.Content
    ) -> ProviderResponse {
        if tag.matches(request.headers[values: .ifNoneMatch]) {
            return ProviderResponse(.notModified, headers: [.eTag: tag.text, .lastModified: tag.lastModified])
        }
        var headers: HTTPFields = [
            .contentType: file.mimeType, .eTag: tag.text, .lastModified: tag.lastModified, .acceptRanges: "bytes",
            .cacheControl: "private, no-store",
            // Prevents the browser from displaying the file as a page from this origin.
            .contentSecurityPolicy: "sandbox; default-src 'none'", .contentDisposition: "attachment",
        ]
        let range = tag.allowsRange(request.headers[.ifRange]) ? request.headers[.range] : nil
        switch ByteRange(range, size: size) {
        case .whole:
            return ProviderResponse(.ok, headers: headers, content: content(0, Int(clamping: size)))
        case .part(let first, let count):
            headers[.contentRange] = "bytes \(first)-\(first + count - 1)/\(size)"
            return ProviderResponse(.partialContent, headers: headers, content: content(first, Int(clamping: count)))
        case .unsatisfiable:
            let reason = "requestedRangeNotSatisfiable"
            var response = APIFailure(.rangeNotSatisfiable, reason, "Request range not satisfiable").response
            response.headers[.contentRange] = "bytes */\(size)"
            return response
        }
    }
}

/// A `Range` header that specifies a single range of bytes (RFC 9110, section 14.1.2).
enum ByteRange: Sendable, Hashable {
    /// The entire content, because the range is missing or not supported.
    case whole
    case part(first: Int64, count: Int64)
    case unsatisfiable

    init(_ header: String?, size: Int64) {
        self = .whole
        guard let header, header.lowercased().hasPrefix("bytes=") else { return }
        let sides = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }) else { return }
        let first: Int64
        let last: Int64
        switch (Int64(sides[0]), Int64(sides[1])) {
        case (let start?, nil) where sides[1].isEmpty: (first, last) = (start, .max)
        case (let start?, let end?) where start <= end: (first, last) = (start, end)
        case (nil, let suffix?) where sides[0].isEmpty:
            (first, last) = (suffix == 0 ? size : max(0, size - suffix), .max)
        default: return
        }
        self = first < size ? .part(first: first, count: min(last, size - 1) - first + 1) : .unsatisfiable
    }
}

/// The strong validators for a file's content, which are used to evaluate conditions (RFC 9110, section 13).
struct EntityTag: Sendable, Hashable {
    /// The entity tag, including its quotation marks.
    var text: String
    /// The value of `Last-Modified`.
    var lastModified: String

    /// Returns whether a range can be returned, which requires that `If-Range` is missing or matches this content.
    func allowsRange(_ ifRange: String?) -> Bool {
        guard let ifRange else { return true }
        return ifRange.trimmed == self.text || ifRange.trimmed == self.lastModified
    }

    /// Returns whether `If-None-Match` indicates that the client already has this content.
    func matches(_ ifNoneMatch: [String]) -> Bool {
        ifNoneMatch.flatMap { $0.split(separator: ",") }
            .contains { item in
                let tag = item.trimmed
                return tag == "*" || tag == self.text || tag == "W/" + self.text
            }
    }
}

/// A range of an open file, which is read while it is being sent.
struct DriveDownload: Sendable {
    var file: DriveFileDescriptor
    var offset: Int64
    var length: Int
    let executor: BlockingExecutor

    /// An error thrown if the file becomes shorter while it is being sent.
    struct Truncated: Error {}

    /// Returns the next chunk of at most 256 KiB, or `nil` at the end of the range.
    mutating func nextChunk() async throws -> [UInt8]? {
        guard self.length > 0 else { return nil }
        let (file, offset, count) = (self.file, self.offset, min(self.length, 256 << 10))
        let chunk = try await self.executor.run { file.read(count, at: offset) }
        guard !chunk.isEmpty else { throw Truncated() }
        self.offset += Int64(chunk.count)
        self.length -= chunk.count
        return chunk
    }
}
#endif
