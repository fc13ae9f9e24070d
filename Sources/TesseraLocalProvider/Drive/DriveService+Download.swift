// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension DriveService {
    /// `files.get` with `alt=media`: the bytes, or the range of them that was asked for.
    func download(_ call: DriveCall, id: String, range: String?) throws(DriveFailure) -> EndpointResponse {
        let file = try self.visibleFile(call, id: id)
        switch file.content {
        case .none:
            throw DriveFailure(
                status: .forbidden,
                reason: "fileNotDownloadable",
                message: "Only files with binary content can be downloaded.",
                location: ("parameter", "alt")
            )
        case .memory(let bytes):
            return Self.answer(file, size: Int64(bytes.count), range: range) { first, count in
                .bytes(Array(bytes.dropFirst(Int(first)).prefix(count)))
            }
        case .disk(let name, _):
            guard let opened = self.directory?.open(name) else { throw .notFound(id) }
            return Self.answer(file, size: opened.size, range: range) { first, count in
                .file(DriveDownload(file: opened, offset: first, length: count, queue: self.queue))
            }
        }
    }

    private static func answer(
        _ file: DriveFile,
        size: Int64,
        range: String?,
        _ content: (_ first: Int64, _ count: Int) -> EndpointResponse.Content
    ) -> EndpointResponse {
        var response: EndpointResponse
        switch ByteRange(range, size: size) {
        case .whole:
            response = EndpointResponse(.ok, content: content(0, Int(clamping: size)))
        case .part(let first, let count):
            response = EndpointResponse(.partialContent, content: content(first, Int(clamping: count)))
            response.headers[.contentRange] = "bytes \(first)-\(first + count - 1)/\(size)"
        case .unsatisfiable:
            response =
                DriveFailure(
                    status: .rangeNotSatisfiable,
                    reason: "requestedRangeNotSatisfiable",
                    message: "Request range not satisfiable"
                )
                .response
            response.headers[.contentRange] = "bytes */\(size)"
            return response
        }
        response.headers[.contentType] = file.mimeType
        response.headers[.acceptRanges] = "bytes"
        response.headers[.cacheControl] = "private, no-store"
        // A page of the person's browser must not take a file for a page of this origin.
        response.headers[.contentSecurityPolicy] = "sandbox; default-src 'none'"
        response.headers[.contentDisposition] = "attachment"
        return response
    }
}
#endif
