// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraJSON

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

    init() {}

    init(_ bytes: [UInt8]) throws(APIFailure) {
        if bytes.isEmpty { return }
        guard let value = try? JSONValue(parsing: bytes), let members = value.members else {
            throw APIFailure(
                status: .badRequest,
                statusName: "INVALID_ARGUMENT",
                reason: "parseError",
                message: "The metadata is not a JSON object."
            )
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

    private static func present(_ name: String, _ value: JSONValue) -> JSONValue? {
        value[name].flatMap { $0.isNull ? nil : $0 }
    }

    private static func text(_ name: String, _ value: JSONValue) throws(APIFailure) -> String? {
        guard let member = self.present(name, value) else { return nil }
        guard let text = member.string, text.utf8.count <= 4096 else { throw .invalid(name) }
        return text.isEmpty ? nil : text
    }

    private static func flag(_ name: String, _ value: JSONValue) throws(APIFailure) -> Bool? {
        guard let member = self.present(name, value) else { return nil }
        guard let flag = member.bool else { throw .invalid(name) }
        return flag
    }

    private static func time(_ name: String, _ value: JSONValue) throws(APIFailure) -> Date? {
        guard let member = self.present(name, value) else { return nil }
        guard let time = member.string.flatMap(RFC3339.date) else { throw .invalid(name) }
        return time
    }

    private static func properties(_ name: String, _ value: JSONValue) throws(APIFailure) -> [String: String?] {
        guard let member = self.present(name, value) else { return [:] }
        guard let members = member.members, members.count <= 100 else { throw .invalid(name) }
        var properties: [String: String?] = [:]
        for member in members {
            guard member.value.isNull || member.value.string != nil, !member.name.isEmpty else { throw .invalid(name) }
            properties.updateValue(member.value.string, forKey: member.name)
        }
        return properties
    }
}
#endif
