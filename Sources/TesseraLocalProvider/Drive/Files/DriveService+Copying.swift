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
    /// `files.copy`: the bytes and the metadata of another file, with changes.
    func copy(
        _ call: DriveCall,
        _ request: EndpointRequest,
        id: String,
        at now: Date
    ) throws(APIFailure) -> EndpointResponse {
        guard request.contentType == "application/json" || request.body.isEmpty else {
            throw .badRequest("Send the metadata as application/json.")
        }
        let metadata = try FileMetadata(request.body)
        _ = try FieldMask(call.parameters["fields"] ?? "id")
        let source = try self.visibleFile(call, id: id)
        let mayCopy = source.role(of: call.access.account).map { $0 >= .writer || !source.copyRequiresWriter } ?? false
        guard !source.isFolder, mayCopy else {
            throw .forbidden("cannotCopyFile", "This file cannot be copied by the user.")
        }
        let (newID, parents) = try self.checkNew(metadata, call)
        let name = metadata.name ?? "Copy of \(source.name)"
        var file = source.copied(
            as: newID,
            owner: call.access.account.subject,
            creator: call.access.clientID,
            content: try self.copiedContent(source, name: name),
            at: now
        )
        file.parents = metadata.parents == nil && source.isOwned(by: call.access.account) ? source.parents : parents
        metadata.apply(to: &file, clientID: call.access.clientID, at: now)
        file.name = name
        file.createdTime = metadata.createdTime ?? now
        return try self.metadata(call, of: try self.keep(file, stated: metadata.modifiedTime, isNew: true))
    }

    private func copiedContent(_ source: DriveFile, name: String) throws(APIFailure) -> DriveFile.Content {
        guard case .disk(let fileName, _) = source.content else { return source.content }
        guard let directory, let file = directory.open(fileName) else { throw .notFound(source.id) }
        let temporary = try directory.temporary()
        var offset: Int64 = 0
        do throws(APIFailure) {
            while true {
                let chunk = file.read(1 << 20, at: offset)
                if chunk.isEmpty { break }
                guard temporary.file.write(chunk[...], at: offset) else { throw DriveDirectory.failure }
                offset += Int64(chunk.count)
            }
            return .disk(fileName: try directory.place(temporary, as: name), size: offset)
        } catch {
            directory.remove(temporary.name)
            throw error
        }
    }

    /// `files.export`: only a document of Google's editors can be exported, and here it has no text.
    func export(_ call: DriveCall, id: String) throws(APIFailure) -> EndpointResponse {
        guard let mimeType = call.parameters["mimeType"] else { throw .required("mimeType") }
        let file = try self.visibleFile(call, id: id)
        guard file.mimeType.hasPrefix("application/vnd.google-apps."), !file.isFolder else {
            throw .forbidden("fileNotExportable", "Export only supports Docs Editors files.")
        }
        guard ["text/plain", "text/csv", "text/html", "text/markdown"].contains(mimeType) else {
            throw .invalid("mimeType", "The requested conversion is not supported.")
        }
        var response = EndpointResponse(.ok)
        response.headers[.contentType] = mimeType
        response.headers[.cacheControl] = "private, no-store"
        response.headers[.contentSecurityPolicy] = "sandbox; default-src 'none'"
        return response
    }
}
#endif
