// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJSON
internal import TesseraSupport

/// The metadata of a file in Drive.
struct DriveFile: Sendable {
    static let folderType = "application/vnd.google-apps.folder"
    /// The default parent folder.
    static let rootID = "root"
    /// The folder for a client's own data, which is not part of normal file lists.
    static let applicationDataID = "appDataFolder"

    enum Content: Sendable {
        case memory([UInt8])
        /// A file in the data directory.
        case disk(fileName: String, size: Int64)
        /// No content, which is the case for a folder.
        case none
    }

    var id: String
    var name: String
    var mimeType: String
    var description: String?
    var createdTime: Date
    var modifiedTime: Date
    var content: Content
    /// The ID of the client that created the file.
    ///
    /// With the `drive.file` scope, only this client has access to it.
    var creatorID: String?
    /// The account that created the file, or `nil` for a file in the data directory, which every account owns.
    var ownerID: String?
    var parents = [DriveFile.rootID]
    var isStarred = false
    /// Whether the file itself has been moved to the trash.
    var isTrashed = false
    /// Whether the file is in the trash, either by itself or inside a folder.
    var isInTrash = false
    var trashedTime: Date?
    var viewedTime: Date?
    var properties: [String: String] = [:]
    /// Each client's private properties, keyed by client ID.
    var applicationProperties: [String: [String: String]] = [:]
    var folderColor: String?
    var originalName: String?
    var writersCanShare = true
    var copyRequiresWriter = false
    var permissions: [DrivePermission] = []
    /// The permissions inherited from the folders that contain the file.
    var inheritedPermissions: [DrivePermission] = []
    /// The owners of the folders that contain the file.
    var folderOwnerIDs: Set<String> = []
    /// The number of the most recent change.
    var version = 1
    /// The modification time of the file in the directory when ``modifiedTime`` was last set.
    var contentTime: Date?
    /// Whether the file is stored in the index because a client created or changed it.
    var isIndexed = false

    var size: Int64? {
        switch self.content {
        case .memory(let bytes): Int64(bytes.count)
        case .disk(_, let size): size
        case .none: nil
        }
    }

    var isFolder: Bool { self.mimeType == Self.folderType }
    var isApplicationData: Bool { self.parents.contains(Self.applicationDataID) || self.id == Self.applicationDataID }

    var space: String { self.isApplicationData ? Self.applicationDataID : "drive" }

    /// Returns a copy with a different identifier and content, owned by the call's account.
    func copied(as id: String, _ content: Content, _ call: APICall) -> DriveFile {
        var copy = self
        (copy.id, copy.content, copy.contentTime) = (id, content, nil)
        (copy.createdTime, copy.modifiedTime, copy.viewedTime) = (call.now, call.now, nil)
        (copy.ownerID, copy.creatorID) = (call.account.subject, call.clientID)
        (copy.permissions, copy.isStarred) = ([], false)
        copy.applicationProperties = copy.applicationProperties.filter { $0.key == call.clientID }
        return copy
    }
}

extension DriveFile {
    func isOwned(by account: LocalProviderAccount) -> Bool { self.ownerID ?? account.subject == account.subject }

    /// Returns whether the file has been shared with this account or its organization.
    func isShared(with account: LocalProviderAccount) -> Bool {
        self.folderOwnerIDs.contains(account.subject) || self.effectivePermissions.contains { $0.names(account) }
    }

    /// Returns an account's role, or `nil` if the account must not be able to find out that the file exists.
    func role(of account: LocalProviderAccount) -> DriveRole? {
        if self.isOwned(by: account) { return .owner }
        if self.folderOwnerIDs.contains(account.subject) { return .writer }
        return self.effectivePermissions.filter { $0.type == .anyone || $0.names(account) }.map(\.role).max()
    }

    func allPermissions(_ access: APICall) -> [DrivePermission] {
        let owner = access.accounts.first { $0.subject == self.ownerID } ?? access.account
        return [DrivePermission(user: owner.email, accounts: access.accounts, role: .owner)]
            + self.effectivePermissions.filter { $0.email != owner.email }
    }

    /// The file's own and inherited permissions.
    private var effectivePermissions: [DrivePermission] {
        var seen: Set<String> = []
        return (self.permissions + self.inheritedPermissions).filter { seen.insert($0.id).inserted }
    }
}

/// Media types, keyed by file name extension.
enum MediaType {
    static func of(fileName: String) -> String {
        let ending = fileName.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return self.known[ending] ?? "application/octet-stream"
    }

    /// Returns whether a text is valid in a `Content-Type` header.
    static func isValid(_ text: String) -> Bool {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= 200 && sides.count == 2
            && sides.allSatisfy { side in
                !side.isEmpty
                    && side.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$&^_.+-".contains($0)) }
            }
    }

    private static let known = [
        "txt": "text/plain", "md": "text/markdown", "csv": "text/csv", "html": "text/html", "css": "text/css",
        "js": "text/javascript", "json": "application/json", "xml": "application/xml", "pdf": "application/pdf",
        "zip": "application/zip", "gz": "application/gzip", "tar": "application/x-tar", "png": "image/png",
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "svg": "image/svg+xml", "webp": "image/webp",
        "mp3": "audio/mpeg", "wav": "audio/wav", "mp4": "video/mp4", "mov": "video/quicktime",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ]
}

extension DriveFile {
    /// Creates a file from an entry in the index.
    ///
    /// Returns `nil` if the entry is malformed.
    init?(indexEntry entry: JSONValue) {
        guard let id = entry["id"]?.string, let name = entry["name"]?.string,
            let mimeType = entry["mimeType"]?.string, MediaType.isValid(mimeType),
            let created = Self.date(entry["created"])
        else { return nil }
        self.init(
            id: id,
            name: name,
            mimeType: mimeType,
            description: entry["description"]?.string,
            createdTime: created,
            modifiedTime: Self.date(entry["modified"]) ?? created,
            content: entry["fileName"]?.string.map { .disk(fileName: $0, size: 0) } ?? .none,
            creatorID: entry["creator"]?.string,
            ownerID: entry["owner"]?.string,
            contentTime: Self.date(entry["contentTime"]),
            isIndexed: true
        )
        let parents = entry["parents"]?.elements?.compactMap(\.string) ?? []
        self.parents = entry["parents"] == nil ? [Self.rootID] : parents
        self.isStarred = entry["starred"]?.bool ?? false
        self.isTrashed = entry["trashed"]?.bool ?? false
        self.trashedTime = Self.date(entry["trashedTime"])
        self.properties = Self.texts(entry["properties"])
        if let clients = entry["appProperties"]?.members {
            for client in clients { self.applicationProperties[client.name] = Self.texts(client.value) }
        }
        self.folderColor = entry["folderColor"]?.string
        self.originalName = entry["originalName"]?.string
        self.permissions = entry["permissions"]?.elements?.compactMap(DrivePermission.init(indexEntry:)) ?? []
    }

    /// The file's entry in the index.
    var indexEntry: JSONNode {
        let seconds = { (time: Date) in JSONNode.double(time.timeIntervalSince1970) }
        let clients = self.applicationProperties.sorted { $0.key < $1.key }
            .map { JSONMember(name: $0.key, value: Self.node($0.value)) }
        let fileName: String? = if case .disk(let name, _) = self.content { name } else { nil }
        return .members([
            "id": self.id, "name": self.name, "mimeType": self.mimeType, "created": seconds(self.createdTime),
            "modified": seconds(self.modifiedTime), "fileName": fileName, "creator": self.creatorID,
            "owner": self.ownerID, "description": self.description, "folderColor": self.folderColor,
            "originalName": self.originalName, "contentTime": self.contentTime.map(seconds),
            "trashedTime": self.trashedTime.map(seconds), "starred": self.isStarred ? true : nil,
            "trashed": self.isTrashed ? true : nil, "parents": self.parents == [Self.rootID] ? nil : self.parents,
            "properties": self.properties.isEmpty ? nil : Self.node(self.properties),
            "appProperties": clients.isEmpty ? nil : JSONNode.object(clients),
            "permissions": self.permissions.isEmpty ? nil : self.permissions.map(\.indexEntry),
        ])
    }

    /// Returns an object whose values are strings, sorted by name.
    static func node(_ texts: [String: String]) -> JSONNode {
        .object(texts.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: .string($0.value)) })
    }

    private static func texts(_ value: JSONValue?) -> [String: String] {
        let pairs = value?.members?.compactMap { member in member.value.string.map { (member.name, $0) } } ?? []
        return Dictionary(pairs) { first, _ in first }
    }

    private static func date(_ value: JSONValue?) -> Date? {
        (try? value?.double()).map { Date(timeIntervalSince1970: $0) }
    }
}

extension DrivePermission {
    fileprivate init?(indexEntry entry: JSONValue) {
        guard let type = entry["type"]?.string.flatMap(Kind.init), let id = entry["id"]?.string,
            let role = entry["role"]?.string.flatMap(DriveRole.init)
        else { return nil }
        self.init(type: type, email: entry["email"]?.string, domain: entry["domain"]?.string, accounts: [], role: role)
        self.id = id
        self.allowsDiscovery = entry["discovery"]?.bool ?? false
    }

    fileprivate var indexEntry: JSONNode {
        .members([
            "id": self.id, "type": self.type.rawValue, "role": self.role.rawValue, "discovery": self.allowsDiscovery,
            "email": self.email, "domain": self.domain,
        ])
    }
}
#endif
