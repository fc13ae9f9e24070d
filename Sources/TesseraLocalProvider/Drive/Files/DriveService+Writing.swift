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

extension DriveService {
    /// `files.delete`: a file, or a folder with everything in it, without the trash.
    func delete(_ call: DriveCall, id: String, at now: Date) throws(APIFailure) -> EndpointResponse {
        let file = try self.visibleFile(call, id: id)
        try call.access.require(.owner, file)
        try self.remove([file], call, at: now)
        return EndpointResponse(.noContent)
    }

    /// `files.emptyTrash`.
    func emptyTrash(_ call: DriveCall, at now: Date) throws(APIFailure) -> EndpointResponse {
        let trashed = try self.currentCatalog().files
            .filter {
                $0.isInTrash && call.access.sees($0) && $0.isOwned(by: call.access.account)
            }
        try self.remove(trashed, call, at: now)
        return EndpointResponse(.noContent)
    }

    /// Removes files, and what the account owns in them.
    private func remove(_ files: [DriveFile], _ call: DriveCall, at now: Date) throws(APIFailure) {
        let catalog = try self.currentCatalog()
        let inside = files.flatMap { catalog.descendants(of: $0.id) }.filter { $0.isOwned(by: call.access.account) }
        let all = inside + files
        for case .disk(let name, _) in all.map(\.content) {
            guard self.directory?.remove(name) ?? false else { throw DriveDirectory.failure }
        }
        let ids = all.map(\.id)
        try self.change { catalog in
            for id in ids { catalog.remove(id, at: now) }
        }
    }
}
#endif
