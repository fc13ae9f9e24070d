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
    /// `files.update` of the metadata alone: what is named changes, what is null goes.
    func update(
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
        var file = try self.visibleFile(call, id: id)
        try self.checkUpdate(of: file, metadata, call)
        file.parents = try self.movedParents(file, call)
        metadata.apply(to: &file, clientID: call.access.clientID, at: now)
        if metadata.changesContent { file.modifiedTime = now }
        return try self.metadata(call, of: try self.keep(file, stated: metadata.modifiedTime))
    }

    /// Replaces a file's bytes, and what the metadata names.
    func replace(
        _ file: DriveFile,
        _ metadata: FileMetadata,
        _ content: NewContent,
        _ call: DriveCall,
        at now: Date
    ) throws(APIFailure) -> DriveFile {
        try self.checkReplaceable(file, metadata, call)
        var file = file
        let old = file.content
        file.parents = try self.movedParents(file, call)
        file.content = try self.kept(content) { directory, temporary throws(APIFailure) in
            guard case .disk(let name, _) = old else { throw DriveDirectory.failure }
            try directory.place(temporary, over: name)
            return name
        }
        metadata.apply(to: &file, clientID: call.access.clientID, at: now)
        file.modifiedTime = now
        file.contentTime = nil
        return try self.keep(file, stated: metadata.modifiedTime)
    }

    /// A folder has no bytes that could be replaced.
    func checkReplaceable(_ file: DriveFile, _ metadata: FileMetadata, _ call: DriveCall) throws(APIFailure) {
        try self.checkUpdate(of: file, metadata, call)
        if case .none = file.content { throw .badRequest("This file has no binary content.") }
    }

    private func checkUpdate(of file: DriveFile, _ metadata: FileMetadata, _ call: DriveCall) throws(APIFailure) {
        try metadata.checkUpdatable()
        try call.access.require(metadata.isTrashed == nil ? .writer : .owner, file)
    }
}
#endif
