// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJSON

extension DriveFile {
    /// A file as the index keeps it; nil for an entry that cannot be read.
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

    /// What the index keeps of the file.
    var indexEntry: JSONNode {
        var members = [
            JSONMember(name: "id", value: .string(self.id)),
            JSONMember(name: "name", value: .string(self.name)),
            JSONMember(name: "mimeType", value: .string(self.mimeType)),
            JSONMember(name: "created", value: .double(self.createdTime.timeIntervalSince1970)),
            JSONMember(name: "modified", value: .double(self.modifiedTime.timeIntervalSince1970)),
        ]
        let texts = [
            ("creator", self.creatorID), ("owner", self.ownerID), ("description", self.description),
            ("folderColor", self.folderColor), ("originalName", self.originalName),
        ]
        if case .disk(let name, _) = self.content { members.append(JSONMember(name: "fileName", value: .string(name))) }
        for (name, text) in texts {
            if let text { members.append(JSONMember(name: name, value: .string(text))) }
        }
        for (name, time) in [("contentTime", self.contentTime), ("trashedTime", self.trashedTime)] {
            if let time { members.append(JSONMember(name: name, value: .double(time.timeIntervalSince1970))) }
        }
        if self.isStarred { members.append(JSONMember(name: "starred", value: true)) }
        if self.isTrashed { members.append(JSONMember(name: "trashed", value: true)) }
        if self.parents != [Self.rootID] {
            members.append(JSONMember(name: "parents", value: .array(self.parents.map(JSONNode.string))))
        }
        if !self.properties.isEmpty {
            members.append(JSONMember(name: "properties", value: Self.node(self.properties)))
        }
        if !self.applicationProperties.isEmpty {
            let clients = self.applicationProperties.sorted { $0.key < $1.key }
                .map { JSONMember(name: $0.key, value: Self.node($0.value)) }
            members.append(JSONMember(name: "appProperties", value: .object(clients)))
        }
        if !self.permissions.isEmpty {
            members.append(JSONMember(name: "permissions", value: .array(self.permissions.map(\.indexEntry))))
        }
        return .object(members)
    }

    /// Texts by name, in the order of the names.
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
        var members = [
            JSONMember(name: "id", value: .string(self.id)),
            JSONMember(name: "type", value: .string(self.type.rawValue)),
            JSONMember(name: "role", value: .string(self.role.rawValue)),
            JSONMember(name: "discovery", value: .bool(self.allowsDiscovery)),
        ]
        if let email { members.append(JSONMember(name: "email", value: .string(email))) }
        if let domain { members.append(JSONMember(name: "domain", value: .string(domain))) }
        return .object(members)
    }
}
#endif
