// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth

extension DriveService {
    /// Handles `about.get`, which returns the user and the storage quota.
    func about(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        guard call.parameters["fields"] != nil else {
            throw .required("fields", "The 'fields' parameter is required for this method.")
        }
        let own = try self.currentCatalog().files.filter { $0.isOwned(by: call.account) }
        let used = own.reduce(Int64(0)) { $0 &+ ($1.size ?? 0) }
        let trashed = own.filter(\.isInTrash).reduce(Int64(0)) { $0 &+ ($1.size ?? 0) }
        return call.response(
            .members([
                "kind": "drive#about", "user": Self.user(call.account, call),
                "storageQuota": JSONNode.members([
                    "limit": String(15 << 30), "usage": String(used), "usageInDrive": String(used),
                    "usageInDriveTrash": String(trashed),
                ]),
                "maxUploadSize": String(self.directory == nil ? DriveUpload.memoryLimit : 5 << 40),
                "appInstalled": true, "canCreateDrives": false,
            ])
        )
    }

    /// Handles `files.list`, which returns a page of the files that match the query.
    func list(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        let query = try call.parameters["q"].map { text throws(APIFailure) in try DriveQuery(text) }
        let order = try DriveOrder(call.parameters["orderBy"])
        let spaces = try Self.spaces(call)
        let question = ["orderBy", "q", "spaces"].map { call.parameters[$0] ?? "" }.joined(separator: "|")
        let found = try self.currentCatalog().files
            .filter { call.lists($0) && spaces.contains($0.space) && query?.matches($0, call) ?? true }
        let page = try call.page(order.sorted(found), size: ("pageSize", 1000), question)
        let needsChecksum = call.mask.keeps("files", "md5Checksum")
        return call.response(
            .members([
                "kind": "drive#fileList", "incompleteSearch": false, "nextPageToken": page.next,
                "files": page.items.map { self.node($0, call, withChecksum: needsChecksum) },
            ])
        )
    }

    /// Handles `files.get`, which returns the metadata or the content of a file.
    func metadataOrMedia(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        switch call.parameters["alt"] {
        case nil, "json": return self.metadata(call, of: try self.visibleFile(call))
        case "media": return try self.download(call)
        default: throw .invalid("alt")
        }
    }

    /// Returns a file's metadata, limited to the fields that the call requested.
    func metadata(_ call: APICall, of file: DriveFile) -> ProviderResponse {
        call.response(self.node(file, call, withChecksum: call.mask.keeps("md5Checksum")))
    }

    /// Returns the requested spaces.
    ///
    /// The application data folder requires its own scope.
    private static func spaces(_ call: APICall) throws(APIFailure) -> [String] {
        let spaces = (call.parameters["spaces"] ?? "drive").split(separator: ",").map(\.trimmed)
        for space in spaces where space != "drive" {
            guard space == DriveFile.applicationDataID else { throw .invalid("spaces") }
            try call.requireApplicationData()
        }
        return spaces
    }

    func startPageToken(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        let token = String(try self.currentCatalog().version + 1)
        return call.response(.members(["kind": "drive#startPageToken", "startPageToken": token]))
    }

    /// Handles `changes.list`, which returns the most recent change to each file since a page token was issued.
    func changes(_ call: APICall) throws(APIFailure) -> ProviderResponse {
        guard let token = call.parameters["pageToken"] else { throw .required("pageToken") }
        guard let start = Int(token), start > 0 else { throw .invalid("pageToken") }
        let pageSize = try call.parameters.number("pageSize", in: 1...1000) ?? 100
        let showsRemoved = call.parameters["includeRemoved"] != "false"
        let spaces = try Self.spaces(call)
        let catalog = try self.currentCatalog()
        let found = catalog.changes.values
            .filter { change in
                change.number >= start && (showsRemoved || !change.isRemoved) && call.lists(change.file)
                    && spaces.contains(change.file.space)
            }
            .sorted { $0.number < $1.number }
        let page = found.prefix(pageSize)
        let isLast = page.count == found.count
        let next = String(isLast ? catalog.version + 1 : (page.last?.number ?? start) + 1)
        let needsChecksum = call.mask.keeps("changes", "file", "md5Checksum")
        let changes = page.map { change -> JSONNode in
            let file = change.isRemoved ? nil : catalog.file(change.file.id)
            return .members([
                "kind": "drive#change", "type": "file", "changeType": "file", "time": RFC3339.text(change.time),
                "removed": change.isRemoved, "fileId": change.file.id,
                "file": file.map { self.node($0, call, withChecksum: needsChecksum) },
            ])
        }
        return call.response(
            .members([
                "kind": "drive#changeList", isLast ? "newStartPageToken" : "nextPageToken": next, "changes": changes,
            ])
        )
    }

    /// Returns all of a file's supported fields.
    func node(_ file: DriveFile, _ call: APICall, withChecksum: Bool) -> JSONNode {
        let isOwned = file.isOwned(by: call.account)
        let owner = call.accounts.first { $0.subject == file.ownerID } ?? call.account
        let permissions = file.allPermissions(call)
        let showsPermissions = file.role(of: call.account) ?? .reader >= .writer
        let own = file.applicationProperties[call.clientID] ?? [:]
        let size = file.size.map(String.init)
        let checksum = withChecksum && size != nil ? self.checksum(of: file) : nil
        return .members([
            "kind": "drive#file", "id": file.id, "name": file.name, "mimeType": file.mimeType,
            "description": file.description, "starred": file.isStarred, "trashed": file.isInTrash,
            "explicitlyTrashed": file.isTrashed, "parents": isOwned ? file.parents : nil, "spaces": [file.space],
            "version": String(file.version), "createdTime": RFC3339.text(file.createdTime),
            "modifiedTime": RFC3339.text(file.modifiedTime), "trashedTime": file.trashedTime.map(RFC3339.text),
            "viewedByMeTime": file.viewedTime.map(RFC3339.text), "owners": [Self.user(owner, call)],
            "ownedByMe": isOwned, "shared": permissions.count > 1, "writersCanShare": file.writersCanShare,
            "copyRequiresWriterPermission": file.copyRequiresWriter, "capabilities": Self.capabilities(file, call),
            "properties": file.properties.isEmpty ? nil : DriveFile.node(file.properties),
            "appProperties": own.isEmpty ? nil : DriveFile.node(own), "folderColorRgb": file.folderColor,
            "permissions": showsPermissions ? permissions.map { $0.node(call) } : nil,
            "permissionIds": showsPermissions ? permissions.map(\.id) : nil, "size": size, "quotaBytesUsed": size,
            "originalFilename": size.map { _ in file.originalName ?? file.name }, "md5Checksum": checksum,
        ])
    }

    static func user(_ account: LocalProviderAccount, _ access: APICall) -> JSONNode {
        let isCaller = account.subject == access.account.subject
        return .members([
            "kind": "drive#user", "displayName": account.name, "photoLink": isCaller ? access.pictureURL : nil,
            "me": isCaller, "permissionId": account.subject, "emailAddress": account.email,
        ])
    }

    private static func capabilities(_ file: DriveFile, _ access: APICall) -> JSONNode {
        let role = file.role(of: access.account) ?? .reader
        let writes = role >= .writer && file.id != DriveFile.rootID
        let owns = role == .owner && file.id != DriveFile.rootID
        return .members([
            "canEdit": writes, "canRename": writes, "canModifyContent": writes,
            "canDownload": file.size != nil && (writes || !file.copyRequiresWriter),
            "canCopy": !file.isFolder && (writes || !file.copyRequiresWriter),
            "canShare": owns || writes && file.writersCanShare, "canDelete": owns, "canTrash": owns, "canUntrash": owns,
            "canAddChildren": file.isFolder && role >= .writer, "canListChildren": file.isFolder,
        ])
    }
}
#endif
