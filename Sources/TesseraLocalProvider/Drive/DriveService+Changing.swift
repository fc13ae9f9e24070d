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
    /// `files.delete`.
    func delete(_ call: DriveCall, id: String) throws(DriveFailure) -> EndpointResponse {
        let file = try self.visibleFile(call, id: id)
        if case .disk(let name, _) = file.content {
            guard self.directory?.remove(name) ?? false else { throw DriveDirectory.failure }
        }
        try self.change { $0.remove(id) }
        return EndpointResponse(.noContent)
    }

    /// Replaces a file's bytes, and what the metadata names.
    func replace(
        _ file: DriveFile,
        _ metadata: FileMetadata,
        _ content: NewContent,
        at now: Date
    ) throws(DriveFailure) -> DriveFile {
        try self.checkReplaceable(file)
        var file = file
        let old = file.content
        file.content = try self.kept(content) { directory, temporary throws(DriveFailure) in
            guard case .disk(let name, _) = old else { throw DriveDirectory.failure }
            try directory.place(temporary, over: name)
            return name
        }
        file.name = metadata.name ?? file.name
        file.mimeType = metadata.mimeType ?? file.mimeType
        file.description = metadata.description ?? file.description
        file.modifiedTime = now
        let changed = file
        try self.change { $0.replace(changed) }
        // The directory knows the time better.
        return try self.currentCatalog().file(file.id) ?? file
    }

    /// A folder has no bytes that could be replaced.
    func checkReplaceable(_ file: DriveFile) throws(DriveFailure) {
        if case .none = file.content { throw .badRequest("This file has no binary content.") }
    }
}
#endif
