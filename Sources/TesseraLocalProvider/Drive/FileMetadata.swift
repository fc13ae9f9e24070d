// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraSupport

/// What a client says about a file: a new one, or one that it changes.
struct FileMetadata: Sendable {
    /// The identifier that the client chose, made by `files.generateIds`.
    var id: String?
    var name: String?
    var mimeType: String?
    var description: String?
    var parents: [String]?
    var isStarred: Bool?
    var isTrashed: Bool?
    var createdTime: Date?
    var modifiedTime: Date?
    var viewedTime: Date?
    var folderColor: String?
    var originalName: String?
    var writersCanShare: Bool?
    var copyRequiresWriter: Bool?
    /// A property without a value is taken away.
    var properties: [String: String?] = [:]
    var applicationProperties: [String: String?] = [:]
    /// The members that are null: what they name is taken away.
    var removed: Set<String> = []
    /// The members that are there.
    private(set) var names: Set<String> = []

    init(_ bytes: [UInt8]) throws(APIFailure) {
        if bytes.isEmpty { return }
        guard let value = try? JSONValue(parsing: bytes), let members = value.members else {
            throw .parseError("The metadata is not a JSON object.")
        }
        self.names = Set(members.map(\.name))
        self.removed = Set(members.filter { $0.value.isNull }.map(\.name))
        self.id = try Self.text("id", value)
        self.name = try Self.text("name", value)
        self.mimeType = try Self.text("mimeType", value)
        self.description = try Self.text("description", value)
        self.folderColor = try Self.text("folderColorRgb", value)
        self.originalName = try Self.text("originalFilename", value)
        self.isStarred = try Self.flag("starred", value)
        self.isTrashed = try Self.flag("trashed", value)
        self.writersCanShare = try Self.flag("writersCanShare", value)
        self.copyRequiresWriter = try Self.flag("copyRequiresWriterPermission", value)
        self.createdTime = try Self.time("createdTime", value)
        self.modifiedTime = try Self.time("modifiedTime", value)
        self.viewedTime = try Self.time("viewedByMeTime", value)
        self.properties = try Self.properties("properties", value)
        self.applicationProperties = try Self.properties("appProperties", value)
        if let parents = value["parents"], !parents.isNull {
            guard let ids = parents.elements?.map(\.string), !ids.contains(nil), ids.count <= 1 else {
                throw .invalid("parents", "A file has one parent.")
            }
            self.parents = ids.compactMap(\.self)
        }
        guard self.mimeType.map(MediaType.isValid) ?? true else { throw .invalid("mimeType") }
    }

    /// Takes the type of the bytes where the metadata names none.
    mutating func take(mediaType: String?) {
        let type = mediaType?.fieldValue
        self.mimeType = self.mimeType ?? type.flatMap { MediaType.isValid($0) ? $0 : nil }
    }

    /// A member that is present and not null, as `read` takes it.
    private static func member<Member>(
        _ name: String,
        _ value: JSONValue,
        _ read: (JSONValue) -> Member?
    ) throws(APIFailure) -> Member? {
        guard let member = value[name], !member.isNull else { return nil }
        guard let result = read(member) else { throw .invalid(name) }
        return result
    }

    private static func text(_ name: String, _ value: JSONValue) throws(APIFailure) -> String? {
        let text = try self.member(name, value) { $0.string.flatMap { $0.utf8.count <= 4096 ? $0 : nil } }
        return text?.isEmpty ?? true ? nil : text
    }

    private static func flag(_ name: String, _ value: JSONValue) throws(APIFailure) -> Bool? {
        try self.member(name, value, \.bool)
    }

    private static func time(_ name: String, _ value: JSONValue) throws(APIFailure) -> Date? {
        try self.member(name, value) { $0.string.flatMap(RFC3339.date) }
    }

    private static func properties(_ name: String, _ value: JSONValue) throws(APIFailure) -> [String: String?] {
        let properties = try self.member(name, value) { value -> [String: String?]? in
            guard let members = value.members, members.count <= 100,
                members.allSatisfy({ !$0.name.isEmpty && ($0.value.isNull || $0.value.string != nil) })
            else { return nil }
            return Dictionary(members.map { ($0.name, $0.value.string) }) { _, last in last }
        }
        return properties ?? [:]
    }
}

extension FileMetadata {
    /// Throws for a member that an update cannot write.
    ///
    /// Google names none of them either.
    func checkUpdatable() throws(APIFailure) {
        if self.names.contains("parents") {
            throw .forbidden(
                "fieldNotWritable",
                "The parents field is not directly writable in update requests. "
                    + "Use the addParents and removeParents parameters instead."
            )
        }
        try self.checkWritable()
        if self.names.contains("id") || self.names.contains("createdTime") { throw Self.notWritable }
    }

    /// Throws for a member that no request can write.
    ///
    /// One that Drive does not know changes nothing, as at Google.
    func checkWritable() throws(APIFailure) {
        guard self.names.isDisjoint(with: Self.unwritable) else { throw Self.notWritable }
    }

    private static let unwritable: Set<String> = [
        "size", "md5Checksum", "sha1Checksum", "sha256Checksum", "version", "owners", "ownedByMe", "shared", "spaces",
        "capabilities", "trashedTime", "explicitlyTrashed", "webViewLink", "webContentLink", "iconLink",
        "quotaBytesUsed", "headRevisionId", "fullFileExtension", "lastModifyingUser", "permissionIds",
        "sharedWithMeTime", "viewedByMe", "modifiedByMe", "modifiedByMeTime", "isAppAuthorized",
    ]

    private static let notWritable = APIFailure.forbidden(
        "fieldNotWritable",
        "The resource body includes fields which are not directly writable."
    )

    /// Changes what is named, takes away what is null, and leaves the rest.
    func apply(to file: inout DriveFile, _ call: APICall) {
        let clientID = call.clientID
        file.name = self.name ?? (self.removed.contains("name") ? "Untitled" : file.name)
        file.mimeType = self.mimeType ?? file.mimeType
        file.description = self.description ?? (self.removesDescription ? nil : file.description)
        file.folderColor = self.folderColor ?? (self.removed.contains("folderColorRgb") ? nil : file.folderColor)
        file.originalName = self.originalName ?? file.originalName
        file.isStarred = self.isStarred ?? (self.removed.contains("starred") ? false : file.isStarred)
        file.viewedTime = self.viewedTime ?? file.viewedTime
        file.writersCanShare = self.writersCanShare ?? file.writersCanShare
        file.copyRequiresWriter = self.copyRequiresWriter ?? file.copyRequiresWriter
        if let isTrashed, isTrashed != file.isTrashed {
            file.isTrashed = isTrashed
            file.trashedTime = isTrashed ? call.now : nil
        }
        if self.removed.contains("properties") { file.properties = [:] }
        for (name, value) in self.properties { file.properties[name] = value }
        if self.removed.contains("appProperties") { file.applicationProperties[clientID] = nil }
        for (name, value) in self.applicationProperties {
            file.applicationProperties[clientID, default: [:]][name] = value
        }
    }

    /// Whether the change is one of the file, rather than of where it is or what somebody thinks of it.
    var changesContent: Bool {
        !self.names.isDisjoint(with: [
            "name", "mimeType", "description", "properties", "appProperties", "folderColorRgb", "originalFilename",
        ])
    }

    /// An empty description is none.
    private var removesDescription: Bool { self.names.contains("description") && self.description == nil }
}

extension APICall {
    /// The metadata of a file that a client sends.
    func metadata() throws(APIFailure) -> FileMetadata {
        guard self.request.contentType == "application/json" || self.request.body.isEmpty else {
            throw .badRequest("Send the metadata as application/json.")
        }
        return try FileMetadata(self.request.body)
    }
}
#endif
