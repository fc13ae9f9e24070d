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
    /// The bytes of a file that is to be stored.
    enum NewContent: Sendable {
        case bytes([UInt8])
        /// They are in the data directory already.
        case temporary(DriveDirectory.Temporary, size: Int64)
    }

    /// `files.create` without bytes.
    func create(
        _ call: DriveCall,
        _ request: EndpointRequest,
        at now: Date
    ) throws(APIFailure) -> EndpointResponse {
        guard request.contentType == "application/json" || request.body.isEmpty else {
            throw .badRequest("Send the metadata as application/json.")
        }
        let new = try FileMetadata(request.body)
        // Reads the mask before anything is written: a bad one must not leave a file behind.
        _ = try FieldMask(call.parameters["fields"] ?? "id")
        let file = try self.store(new, .bytes([]), call, at: now)
        return try self.metadata(call, of: file)
    }

    /// `files.create` and `files.update` with bytes: media alone, or with its metadata in one message.
    func upload(
        _ call: DriveCall,
        _ request: EndpointRequest,
        fileID: String?,
        at now: Date
    ) throws(APIFailure) -> EndpointResponse {
        var metadata: FileMetadata
        let bytes: [UInt8]
        switch call.parameters["uploadType"] {
        case "media":
            metadata = FileMetadata()
            metadata.take(mediaType: request.contentType)
            bytes = request.body
        case "multipart":
            let message = try MultipartRelated(request.body, contentType: request.headers[.contentType] ?? "")
            metadata = try FileMetadata(message.metadata)
            metadata.take(mediaType: message.mediaType)
            bytes = message.media
        default:
            throw .invalid(
                "uploadType",
                "This Drive takes uploadType=media, uploadType=multipart and uploadType=resumable."
            )
        }
        _ = try FieldMask(call.parameters["fields"] ?? "id")
        let file =
            if let fileID {
                try self.replace(try self.visibleFile(call, id: fileID), metadata, .bytes(bytes), call, at: now)
            } else {
                try self.store(metadata, .bytes(bytes), call, at: now)
            }
        return try self.metadata(call, of: file)
    }

    /// Throws for what a new file cannot have; returns its identifier and its parents.
    func checkNew(_ new: FileMetadata, _ call: DriveCall) throws(APIFailure) -> (id: String, parents: [String]) {
        try new.checkWritable()
        let id = try self.identifier(new.id, name: new.name ?? "Untitled", in: try self.currentCatalog())
        return (id, try self.parents(new.parents, call))
    }

    /// Keeps a new file.
    func store(
        _ new: FileMetadata,
        _ content: NewContent,
        _ call: DriveCall,
        at now: Date
    ) throws(APIFailure) -> DriveFile {
        let (id, parents) = try self.checkNew(new, call)
        let name = new.name ?? "Untitled"
        let mimeType = new.mimeType ?? MediaType.of(fileName: name)
        let kept: DriveFile.Content =
            if mimeType.hasPrefix("application/vnd.google-apps.") {
                self.dropped(content)
            } else {
                try self.kept(content) { directory, temporary throws(APIFailure) in
                    try directory.place(temporary, as: name)
                }
            }
        var file = DriveFile(
            id: id,
            name: name,
            mimeType: mimeType,
            createdTime: new.createdTime ?? now,
            modifiedTime: now,
            content: kept,
            creatorID: call.access.clientID,
            ownerID: call.access.account.subject,
            parents: parents
        )
        new.apply(to: &file, clientID: call.access.clientID, at: now)
        return try self.keep(file, stated: new.modifiedTime, isNew: true)
    }

    /// Puts a file into the catalog, with the time that the client states, or that the directory knows better.
    func keep(_ file: DriveFile, stated: Date?, isNew: Bool = false) throws(APIFailure) -> DriveFile {
        try self.change { isNew ? $0.add(file) : $0.replace(file) }
        var kept = try self.currentCatalog().file(file.id) ?? file
        guard let stated else { return kept }
        kept.modifiedTime = stated
        let changed = kept
        try self.change { $0.replace(changed) }
        return try self.currentCatalog().file(file.id) ?? changed
    }

    private func dropped(_ content: NewContent) -> DriveFile.Content {
        if case .temporary(let temporary, _) = content { self.directory?.remove(temporary.name) }
        return .none
    }

    /// Puts bytes where they stay: into memory, or where `place` puts the file of the data directory.
    func kept(
        _ content: NewContent,
        _ place: (DriveDirectory, DriveDirectory.Temporary) throws(APIFailure) -> String
    ) throws(APIFailure) -> DriveFile.Content {
        switch content {
        case .temporary(let temporary, let size):
            guard let directory else { throw DriveDirectory.failure }
            return .disk(fileName: try place(directory, temporary), size: size)
        case .bytes(let bytes):
            guard let directory else { return .memory(bytes) }
            let temporary = try directory.temporary(holding: bytes)
            do throws(APIFailure) {
                return .disk(fileName: try place(directory, temporary), size: Int64(bytes.count))
            } catch {
                directory.remove(temporary.name)
                throw error
            }
        }
    }
}
#endif
