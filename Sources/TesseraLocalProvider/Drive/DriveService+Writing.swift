// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

extension DriveService {
    /// The new content of a file.
    enum NewContent: Sendable {
        case bytes([UInt8])
        /// Content that is already stored in a hidden file in the data directory.
        case temporary(DriveDirectory.Temporary, size: Int64)
    }

    /// Handles `files.create` without content.
    func create(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        self.metadata(call, of: try self.store(try call.metadata(), .bytes([]), call))
    }

    /// Handles `files.create` and `files.update` with content, which is sent alone or together with its metadata.
    func upload(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        let request = call.request
        if request.path.hasPrefix("/resumable/") || call.parameters["uploadType"] == "resumable"
            || UploadDialect(request.headers) == .command
        {
            return try self.begin(call)
        }
        guard let (json, bytes, mediaType) = try request.upload(call.parameters["uploadType"]) else {
            throw .invalid(
                "uploadType",
                "The uploadType must be media, multipart or resumable."
            )
        }
        var metadata = try FileMetadata(json)
        metadata.take(mediaType: mediaType)
        return self.metadata(call, of: try self.put(metadata, .bytes(bytes), call))
    }

    /// Stores a new file or replaces the content of the file in the path.
    func put(_ metadata: FileMetadata, _ content: NewContent, _ call: APICall) throws(APIFailure) -> DriveFile {
        call.itemID == nil
            ? try self.store(metadata, content, call)
            : try self.replace(try self.visibleFile(call), metadata, content, call)
    }

    /// Validates a new file's metadata and returns its identifier and parents.
    func checkNew(_ new: FileMetadata, _ call: APICall) throws(APIFailure) -> (id: String, parents: [String]) {
        try new.checkWritable()
        let id = try self.identifier(new.id, name: new.name ?? "Untitled", in: try self.currentCatalog())
        return (id, try self.parents(new.parents, call))
    }

    private func store(_ new: FileMetadata, _ content: NewContent, _ call: APICall) throws(APIFailure) -> DriveFile {
        let (id, parents) = try self.checkNew(new, call)
        let name = new.name ?? "Untitled"
        let mimeType = new.mimeType ?? MediaType.of(fileName: name)
        // Documents from Google's editors have no binary content.
        let isDocument = mimeType.hasPrefix("application/vnd.google-apps.")
        if isDocument, case .temporary(let temporary, _) = content { self.directory?.remove(temporary.name) }
        var file = DriveFile(
            id: id,
            name: name,
            mimeType: mimeType,
            createdTime: new.createdTime ?? call.now,
            modifiedTime: call.now,
            content: isDocument ? .none : try self.kept(content, as: name),
            creatorID: call.clientID,
            ownerID: call.account.subject,
            parents: parents
        )
        new.apply(to: &file, call)
        return try self.save(file, stated: new.modifiedTime, isNew: true)
    }

    /// Saves a file in the catalog.
    ///
    /// The client can specify the modification time. Otherwise, it is taken from the file in the directory.
    private func save(_ file: DriveFile, stated: Date?, isNew: Bool = false) throws(APIFailure) -> DriveFile {
        try self.change { isNew ? $0.add(file) : $0.replace(file) }
        var saved = try self.currentCatalog().file(file.id) ?? file
        guard let stated else { return saved }
        saved.modifiedTime = stated
        let changed = saved
        try self.change { $0.replace(changed) }
        return try self.currentCatalog().file(file.id) ?? changed
    }

    /// Stores content in memory or in the data directory, either under a name similar to `name` or in place of an old
    /// file.
    private func kept(
        _ content: NewContent,
        as name: String,
        replacing old: DriveFile.Content? = nil
    ) throws(APIFailure) -> DriveFile.Content {
        func place(_ temporary: DriveDirectory.Temporary, in directory: DriveDirectory) throws(APIFailure) -> String {
            guard let old else { return try directory.place(temporary, as: name) }
            guard case .disk(let fileName, _) = old else { throw DriveDirectory.failure }
            try directory.place(temporary, over: fileName)
            return fileName
        }
        switch content {
        case .temporary(let temporary, let size):
            guard let directory else { throw DriveDirectory.failure }
            return .disk(fileName: try place(temporary, in: directory), size: size)
        case .bytes(let bytes):
            guard let directory else { return .memory(bytes) }
            let temporary = try directory.temporary(holding: bytes)
            let fileName = try directory.removing(temporary) { () throws(APIFailure) in
                try place(temporary, in: directory)
            }
            return .disk(fileName: fileName, size: Int64(bytes.count))
        }
    }

    /// Handles `files.update` without content.
    ///
    /// Members that are null are removed.
    func update(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        let metadata = try call.metadata()
        var file = try self.visibleFile(call)
        try self.checkUpdate(of: file, metadata, call)
        file.parents = try self.movedParents(file, call)
        metadata.apply(to: &file, call)
        if metadata.changesContent { file.modifiedTime = call.now }
        return self.metadata(call, of: try self.save(file, stated: metadata.modifiedTime))
    }

    private func replace(
        _ old: DriveFile,
        _ metadata: FileMetadata,
        _ content: NewContent,
        _ call: APICall
    ) throws(APIFailure) -> DriveFile {
        try self.checkReplaceable(old, metadata, call)
        var file = old
        file.parents = try self.movedParents(file, call)
        file.content = try self.kept(content, as: old.name, replacing: old.content)
        metadata.apply(to: &file, call)
        file.modifiedTime = call.now
        file.contentTime = nil
        return try self.save(file, stated: metadata.modifiedTime)
    }

    /// Verifies that a file can be updated and has content that can be replaced, unlike a folder.
    func checkReplaceable(_ file: DriveFile, _ metadata: FileMetadata, _ call: APICall) throws(APIFailure) {
        try self.checkUpdate(of: file, metadata, call)
        if case .none = file.content { throw .badRequest("This file has no binary content.") }
    }

    private func checkUpdate(of file: DriveFile, _ metadata: FileMetadata, _ call: APICall) throws(APIFailure) {
        try metadata.checkUpdatable()
        try call.require(metadata.isTrashed == nil ? .writer : .owner, file)
    }

    /// Handles `files.copy`, which copies a file's content and metadata and applies changes.
    func copy(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        let metadata = try call.metadata()
        let source = try self.visibleFile(call)
        let mayCopy = source.role(of: call.account).map { $0 >= .writer || !source.copyRequiresWriter } ?? false
        guard !source.isFolder, mayCopy else {
            throw .forbidden("cannotCopyFile", "This file cannot be copied by the user.")
        }
        let (newID, parents) = try self.checkNew(metadata, call)
        let name = metadata.name ?? "Copy of \(source.name)"
        let content = try self.copiedContent(source, name: name)
        var file = source.copied(as: newID, content, call)
        file.parents = metadata.parents == nil && source.isOwned(by: call.account) ? source.parents : parents
        metadata.apply(to: &file, call)
        file.name = name
        file.createdTime = metadata.createdTime ?? call.now
        return self.metadata(call, of: try self.save(file, stated: metadata.modifiedTime, isNew: true))
    }

    private func copiedContent(_ source: DriveFile, name: String) throws(APIFailure) -> DriveFile.Content {
        guard case .disk(let fileName, _) = source.content else { return source.content }
        guard let directory, let file = directory.open(fileName) else { throw .notFound(source.id) }
        let temporary = try directory.temporary()
        return try directory.removing(temporary) { () throws(APIFailure) in
            let size = try file.forEachChunk { chunk, offset throws(APIFailure) in
                guard temporary.file.write(chunk[...], at: offset) else { throw DriveDirectory.failure }
            }
            return .disk(fileName: try directory.place(temporary, as: name), size: size)
        }
    }

    /// Handles `files.export`, which supports only documents from Google's editors and returns an empty document.
    func export(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        guard let mimeType = call.parameters["mimeType"] else { throw .required("mimeType") }
        let file = try self.visibleFile(call)
        guard file.mimeType.hasPrefix("application/vnd.google-apps."), !file.isFolder else {
            throw .forbidden("fileNotExportable", "Export only supports Docs Editors files.")
        }
        guard ["text/plain", "text/csv", "text/html", "text/markdown"].contains(mimeType) else {
            throw .invalid("mimeType", "The requested conversion is not supported.")
        }
        let policy = "sandbox; default-src 'none'"
        return ProviderResponse(
            .ok,
            headers: [.contentType: mimeType, .cacheControl: "private, no-store", .contentSecurityPolicy: policy]
        )
    }

    /// Handles `files.delete`, which permanently deletes a file, or a folder and its contents.
    func delete(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        let file = try self.visibleFile(call)
        try call.require(.owner, file)
        return try self.remove([file], call)
    }

    func emptyTrash(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        let files = try self.currentCatalog().files
        return try self.remove(files.filter { $0.isInTrash && call.sees($0) && $0.isOwned(by: call.account) }, call)
    }

    /// Removes files, along with those of their contents that the account owns.
    private func remove(_ files: [DriveFile], _ call: APICall) throws(APIFailure) -> ProviderResponse {
        let catalog = try self.currentCatalog()
        let inside = files.flatMap { catalog.descendants(of: $0.id) }.filter { $0.isOwned(by: call.account) }
        let all = inside + files
        for case .disk(let name, _) in all.map(\.content) {
            guard self.directory?.remove(name) ?? false else { throw DriveDirectory.failure }
        }
        let ids = all.map(\.id)
        try self.change { catalog in
            for id in ids { catalog.remove(id, at: call.now) }
        }
        return ProviderResponse(.noContent)
    }

    /// Returns the parent of a new file, which defaults to the root folder.
    func parents(_ wanted: [String]?, _ call: APICall) throws(APIFailure) -> [String] {
        guard let id = wanted?.first else {
            return [call.seesEverything || call.seesOwnFiles ? DriveFile.rootID : DriveFile.applicationDataID]
        }
        try self.checkParent(id, call)
        return [id]
    }

    /// Returns a file's parents after the `addParents` and `removeParents` parameters have been applied.
    func movedParents(_ file: DriveFile, _ call: APICall) throws(APIFailure) -> [String] {
        let list = { (name: String) in call.parameters[name]?.split(separator: ",").map(\.trimmed) ?? [] }
        let (added, removed) = (list("addParents"), list("removeParents"))
        for id in added where !file.parents.contains(id) {
            try self.checkParent(id, call)
            let isInside = try self.currentCatalog().descendants(of: file.id).contains { $0.id == id }
            guard id != file.id, !isInside, file.isApplicationData == (id == DriveFile.applicationDataID) else {
                throw .invalid("addParents", "A folder cannot be moved there.")
            }
        }
        for id in removed where !file.parents.contains(id) { throw .notFound(id) }
        var parents = file.parents.filter { !removed.contains($0) }
        parents += added.filter { !parents.contains($0) }
        guard parents.count <= max(1, file.parents.count) else {
            throw .forbidden("cannotAddParent", "Increasing the number of parents is not allowed")
        }
        return parents.isEmpty ? [DriveFile.rootID] : parents
    }

    private func checkParent(_ id: String, _ call: APICall) throws(APIFailure) {
        switch id {
        case DriveFile.rootID:
            guard call.seesEverything || call.seesOwnFiles else { throw .notFound(id) }
        case DriveFile.applicationDataID:
            try call.requireApplicationData()
        default:
            let folder = try self.visibleFile(call, id: id)
            guard folder.isFolder else { throw .forbidden("parentNotAFolder", "The specified parent is not a folder.") }
            try call.require(.writer, folder)
        }
    }

    /// Handles `files.generateIds`, which returns identifiers for new files.
    func generateIDs(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        let count = try call.parameters.number("count", in: 1...1000) ?? 10
        let space = call.parameters["space"] ?? "drive"
        guard ["drive", DriveFile.applicationDataID].contains(space) else { throw .invalid("space") }
        guard ["files", "shortcuts", nil].contains(call.parameters["type"]) else { throw .invalid("type") }
        let seed = Base64URL.encode(self.randomBytes(32))
        let ids = (0..<count).map { DriveCatalog.identifier("\(seed)\($0)") }
        return call.response(.members(["kind": "drive#generatedIds", "space": space, "ids": ids]))
    }

    /// Returns the identifier for a new file, which the client may have chosen.
    func identifier(_ wanted: String?, name: String, in catalog: DriveCatalog) throws(APIFailure) -> String {
        guard let wanted else { return catalog.identifier(for: "\(name)|\(catalog.version)") }
        guard wanted.utf8.count == 33, wanted.hasPrefix("1"), Base64URL.decode(String(wanted.dropFirst())) != nil else {
            throw .invalid("file.id", "The provided file ID is not usable.")
        }
        guard catalog.file(wanted) == nil else {
            let message = "A file already exists with the provided ID."
            throw APIFailure(.conflict, "fileIdInUse", message, statusName: "ALREADY_EXISTS")
        }
        return wanted
    }
}
#endif
