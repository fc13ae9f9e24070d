// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth

extension DriveService {
    /// `about.get`: who calls, and how much room there is.
    func about(_ call: APICall) throws(APIFailure) -> EndpointResponse {
        guard call.parameters["fields"] != nil else {
            throw .required("fields", "The 'fields' parameter is required for this method.")
        }
        let own = try self.currentCatalog().files.filter { $0.isOwned(by: call.account) }
        let used = own.reduce(Int64(0)) { $0 &+ ($1.size ?? 0) }
        let trashed = own.filter(\.isInTrash).reduce(Int64(0)) { $0 &+ ($1.size ?? 0) }
        let about: JSONNode = [
            "kind": "drive#about", "user": Self.user(call.account, call),
            "storageQuota": [
                "limit": .string(String(15 << 30)), "usage": .string(String(used)),
                "usageInDrive": .string(String(used)), "usageInDriveTrash": .string(String(trashed)),
            ],
            "maxUploadSize": .string(String(self.directory == nil ? DriveUpload.memoryLimit : 5 << 40)),
            "appInstalled": true, "canCreateDrives": false,
        ]
        return try call.answer(about)
    }

    /// `files.list`: pages of what the query finds.
    func list(_ call: APICall) throws(APIFailure) -> EndpointResponse {
        let fields = call.parameters["fields"] ?? "kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)"
        let mask = try FieldMask(fields)
        let query = try call.parameters["q"].map { text throws(APIFailure) in try DriveQuery(text) }
        let order = try DriveOrder(call.parameters["orderBy"])
        let spaces = try Self.spaces(call)
        let pageSize = try call.parameters.number("pageSize", in: 1...1000) ?? 100
        let question = ["orderBy", "q", "spaces"].map { call.parameters[$0] ?? "" }.joined(separator: "|")
        let found = try self.currentCatalog().files
            .filter { file in
                call.lists(file) && spaces.contains(file.space)
                    && query?.matches(file, for: call) ?? true
            }
        let token = call.parameters["pageToken"]
        guard let page = PageToken.page(order.sorted(found), from: token, of: pageSize, question) else {
            throw .invalid("pageToken")
        }
        let needsChecksum = mask.keeps("files", "md5Checksum")
        let list = JSONNode.members([
            "kind": "drive#fileList", "incompleteSearch": false,
            "nextPageToken": page.next,
            "files": .array(page.items.map { self.node($0, call, withChecksum: needsChecksum) }),
        ])
        return .json(mask.applied(to: list))
    }

    /// `files.get`: what is known of a file, or its bytes.
    func metadataOrMedia(_ call: APICall) throws(APIFailure) -> EndpointResponse {
        switch call.parameters["alt"] {
        case nil, "json": return try self.metadata(call, of: try self.visibleFile(call))
        case "media": return try self.download(call)
        default: throw .invalid("alt")
        }
    }

    /// A file as the field mask of the call wants it.
    func metadata(_ call: APICall, of file: DriveFile) throws(APIFailure) -> EndpointResponse {
        let mask = try FieldMask(call.parameters["fields"] ?? "kind,id,name,mimeType")
        return .json(mask.applied(to: self.node(file, call, withChecksum: mask.keeps("md5Checksum"))))
    }

    /// The spaces that a list is about; the folder of a client's own data needs the scope for it.
    private static func spaces(_ call: APICall) throws(APIFailure) -> [String] {
        let spaces = (call.parameters["spaces"] ?? "drive").split(separator: ",").map(\.trimmed)
        for space in spaces where space != "drive" {
            guard space == DriveFile.applicationDataID else { throw .invalid("spaces") }
            try call.requireApplicationData()
        }
        return spaces
    }

    func startPageToken(_ call: APICall) throws(APIFailure) -> EndpointResponse {
        let token = String(try self.currentCatalog().version + 1)
        return try call.answer(["kind": "drive#startPageToken", "startPageToken": .string(token)])
    }

    /// `changes.list`: each file that changed since a token was given, with its last change only.
    func changes(_ call: APICall) throws(APIFailure) -> EndpointResponse {
        let fields =
            call.parameters["fields"]
            ?? "kind,nextPageToken,newStartPageToken,"
            + "changes(kind,type,changeType,time,removed,fileId,file(kind,id,name,mimeType))"
        let mask = try FieldMask(fields)
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
        let needsChecksum = mask.keeps("changes", "file", "md5Checksum")
        let changes = page.map { change -> JSONNode in
            let file = change.isRemoved ? nil : catalog.file(change.file.id)
            return .members([
                "kind": "drive#change", "type": "file", "changeType": "file",
                "time": .string(RFC3339.text(change.time)), "removed": .bool(change.isRemoved),
                "fileId": .string(change.file.id),
                "file": file.map { self.node($0, call, withChecksum: needsChecksum) },
            ])
        }
        let list: JSONNode = [
            "kind": "drive#changeList", isLast ? "newStartPageToken" : "nextPageToken": .string(next),
            "changes": .array(changes),
        ]
        return .json(mask.applied(to: list))
    }

    /// A file with every member that this Drive knows.
    func node(_ file: DriveFile, _ call: APICall, withChecksum: Bool) -> JSONNode {
        let isOwned = file.isOwned(by: call.account)
        let owner = call.accounts.first { $0.subject == file.ownerID } ?? call.account
        let permissions = file.allPermissions(call)
        let showsPermissions = file.role(of: call.account) ?? .reader >= .writer
        let own = file.applicationProperties[call.clientID] ?? [:]
        let size = file.size.map { JSONNode.string(String($0)) }
        let checksum = withChecksum && size != nil ? self.checksum(of: file) : nil
        return .members([
            "kind": "drive#file", "id": .string(file.id), "name": .string(file.name),
            "mimeType": .string(file.mimeType), "description": file.description.map(JSONNode.string),
            "starred": .bool(file.isStarred), "trashed": .bool(file.isInTrash),
            "explicitlyTrashed": .bool(file.isTrashed), "parents": isOwned ? .texts(file.parents) : nil,
            "spaces": [.string(file.space)], "version": .string(String(file.version)),
            "createdTime": .string(RFC3339.text(file.createdTime)),
            "modifiedTime": .string(RFC3339.text(file.modifiedTime)),
            "trashedTime": file.trashedTime.map { .string(RFC3339.text($0)) },
            "viewedByMeTime": file.viewedTime.map { .string(RFC3339.text($0)) },
            "owners": [Self.user(owner, call)], "ownedByMe": .bool(isOwned), "shared": .bool(permissions.count > 1),
            "writersCanShare": .bool(file.writersCanShare),
            "copyRequiresWriterPermission": .bool(file.copyRequiresWriter),
            "capabilities": Self.capabilities(file, call),
            "properties": file.properties.isEmpty ? nil : DriveFile.node(file.properties),
            "appProperties": own.isEmpty ? nil : DriveFile.node(own),
            "folderColorRgb": file.folderColor.map(JSONNode.string),
            "permissions": showsPermissions ? .array(permissions.map { $0.node(call) }) : nil,
            "permissionIds": showsPermissions ? .texts(permissions.map(\.id)) : nil,
            "size": size, "quotaBytesUsed": size,
            "originalFilename": size.map { _ in .string(file.originalName ?? file.name) },
            "md5Checksum": checksum.map(JSONNode.string),
        ])
    }

    static func user(_ account: LocalProviderAccount, _ access: APICall) -> JSONNode {
        let isCaller = account.subject == access.account.subject
        return .members([
            "kind": "drive#user", "displayName": .string(account.name),
            "photoLink": isCaller ? .string(access.pictureURL) : nil, "me": .bool(isCaller),
            "permissionId": .string(account.subject), "emailAddress": .string(account.email),
        ])
    }

    private static func capabilities(_ file: DriveFile, _ access: APICall) -> JSONNode {
        let role = file.role(of: access.account) ?? .reader
        let writes = role >= .writer && file.id != DriveFile.rootID
        let owns = role == .owner && file.id != DriveFile.rootID
        return [
            "canEdit": .bool(writes), "canRename": .bool(writes), "canModifyContent": .bool(writes),
            "canDownload": .bool(file.size != nil && (writes || !file.copyRequiresWriter)),
            "canCopy": .bool(!file.isFolder && (writes || !file.copyRequiresWriter)),
            "canShare": .bool(owns || writes && file.writersCanShare), "canDelete": .bool(owns),
            "canTrash": .bool(owns), "canUntrash": .bool(owns),
            "canAddChildren": .bool(file.isFolder && role >= .writer), "canListChildren": .bool(file.isFolder),
        ]
    }
}
#endif
