// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraSupport

extension DriveService {
    /// `files.get` with `alt=media`: the bytes, or the range of them that was asked for.
    ///
    /// A range that comes with conditions is served as RFC 9110 says.
    func download(_ call: DriveCall, _ request: EndpointRequest, id: String) throws(APIFailure) -> EndpointResponse {
        let file = try self.visibleFile(call, id: id)
        switch file.content {
        case .none:
            throw APIFailure(
                status: .forbidden,
                reason: "fileNotDownloadable",
                message: "Only files with binary content can be downloaded.",
                location: ("parameter", "alt")
            )
        case .memory(let bytes):
            let sum = DriveChecksum.md5(file.content, in: nil) ?? ""
            let tag = self.entityTag(sum, modifiedTime: file.modifiedTime.timeIntervalSince1970, id: id)
            return Self.answer(file, tag, size: Int64(bytes.count), request) { first, count in
                .bytes(Array(bytes.dropFirst(Int(first)).prefix(count)))
            }
        case .disk(let name, _):
            guard let opened = self.directory?.open(name), let version = opened.version else { throw .notFound(id) }
            let tag = self.entityTag(version.text, modifiedTime: version.modifiedTime, id: id)
            return Self.answer(file, tag, size: opened.size, request) { first, count in
                .file(DriveDownload(file: opened, offset: first, length: count, queue: self.queue))
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

    private static func answer(
        _ file: DriveFile,
        _ tag: EntityTag,
        size: Int64,
        _ request: EndpointRequest,
        _ content: (_ first: Int64, _ count: Int) -> EndpointResponse.Content
    ) -> EndpointResponse {
        var response: EndpointResponse
        if tag.matches(request.headers[values: .ifNoneMatch]) {
            response = EndpointResponse(.notModified)
            response.headers[.eTag] = tag.text
            response.headers[.lastModified] = tag.lastModified
            return response
        }
        let range = tag.allowsRange(request.headers[.ifRange]) ? request.headers[.range] : nil
        switch ByteRange(range, size: size) {
        case .whole:
            response = EndpointResponse(.ok, content: content(0, Int(clamping: size)))
        case .part(let first, let count):
            response = EndpointResponse(.partialContent, content: content(first, Int(clamping: count)))
            response.headers[.contentRange] = "bytes \(first)-\(first + count - 1)/\(size)"
        case .unsatisfiable:
            response =
                APIFailure(
                    status: .rangeNotSatisfiable,
                    reason: "requestedRangeNotSatisfiable",
                    message: "Request range not satisfiable"
                )
                .response
            response.headers[.contentRange] = "bytes */\(size)"
            return response
        }
        response.headers[.contentType] = file.mimeType
        response.headers[.eTag] = tag.text
        response.headers[.lastModified] = tag.lastModified
        response.headers[.acceptRanges] = "bytes"
        response.headers[.cacheControl] = "private, no-store"
        // A page of the person's browser must not take a file for a page of this origin.
        response.headers[.contentSecurityPolicy] = "sandbox; default-src 'none'"
        response.headers[.contentDisposition] = "attachment"
        return response
    }
}
#endif
