// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes

extension DriveService {
    /// Begins an upload session for a new file, or for the bytes of one that is there.
    func begin(_ call: DriveCall, _ request: EndpointRequest, fileID: String?) throws(APIFailure) -> EndpointResponse {
        let dialect = UploadDialect(request.headers)
        let prefix = dialect == .command ? "X-Goog-Upload-Content-" : "X-Upload-Content-"
        if dialect == .command {
            guard request.headers[named: "X-Goog-Upload-Command"]?.lowercased() == "start",
                request.headers[named: "X-Goog-Upload-Protocol"]?.lowercased() == "resumable"
            else { throw .badRequest("An upload begins with the protocol resumable and the command start.") }
        }
        guard request.contentType == "application/json" || request.body.isEmpty else {
            throw .badRequest("Send the metadata as application/json.")
        }
        var metadata = try FileMetadata(request.body)
        metadata.take(mediaType: request.headers[named: prefix + "Type"])
        let total = try Self.total(request.headers[named: prefix + "Length"])
        if self.directory == nil, total ?? 0 > DriveUpload.memoryLimit { throw DriveUpload.tooLarge }
        _ = try FieldMask(call.parameters["fields"] ?? "id")
        if let fileID {
            try self.checkReplaceable(try self.visibleFile(call, id: fileID), metadata, call)
        } else {
            _ = try self.checkNew(metadata, call)
        }
        let upload = DriveUpload(
            call,
            fileID: fileID,
            metadata: metadata,
            total: total,
            temporary: try self.directory?.temporary()
        )
        let (id, lost) = self.uploads.add(upload)
        if let lost { self.discard(lost) }
        return dialect.begun(id, baseURL: call.baseURL)
    }

    /// Ends an upload whose bytes are all there; once ended it gives the same answer again.
    func finish(_ upload: DriveUpload, at now: Date) throws(APIFailure) -> EndpointResponse {
        if let answer = upload.answer { return answer }
        let content: NewContent =
            if let temporary = upload.temporary {
                .temporary(temporary, size: upload.received)
            } else {
                .bytes(upload.memory)
            }
        let file =
            if let id = upload.fileID {
                try self.replace(
                    try self.visibleFile(upload.call, id: id),
                    upload.metadata,
                    content,
                    upload.call,
                    at: now
                )
            } else {
                try self.store(upload.metadata, content, upload.call, at: now)
            }
        let answer = try self.metadata(upload.call, of: file)
        upload.answer = answer
        return answer
    }

    /// Forgets a session's bytes.
    func discard(_ upload: DriveUpload) {
        upload.close()
        if let temporary = upload.temporary, upload.answer == nil { self.directory?.remove(temporary.name) }
    }

    /// A declared length; -1 says that it is not known.
    private static func total(_ header: String?) throws(APIFailure) -> Int64? {
        guard let header, header != "-1" else { return nil }
        guard header.allSatisfy(\.isASCIIDigit), let total = Int64(header) else {
            throw .badRequest("The declared length is no number.")
        }
        return total
    }
}
#endif
