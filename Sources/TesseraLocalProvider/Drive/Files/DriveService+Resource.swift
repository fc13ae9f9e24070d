// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJSON

extension DriveService {
    /// A file with every member that this Drive knows.
    func node(_ file: DriveFile, _ call: DriveCall, withChecksum: Bool) -> JSONNode {
        let access = call.access
        let isOwned = file.isOwned(by: access.account)
        var members = [
            JSONMember(name: "kind", value: "drive#file"),
            JSONMember(name: "id", value: .string(file.id)),
            JSONMember(name: "name", value: .string(file.name)),
            JSONMember(name: "mimeType", value: .string(file.mimeType)),
        ]
        if let description = file.description {
            members.append(JSONMember(name: "description", value: .string(description)))
        }
        members += [
            JSONMember(name: "starred", value: .bool(file.isStarred)),
            JSONMember(name: "trashed", value: .bool(file.isInTrash)),
            JSONMember(name: "explicitlyTrashed", value: .bool(file.isTrashed)),
        ]
        if isOwned { members.append(JSONMember(name: "parents", value: .array(file.parents.map(JSONNode.string)))) }
        members += [
            JSONMember(name: "spaces", value: [.string(file.space)]),
            JSONMember(name: "version", value: .string(String(file.version))),
            JSONMember(name: "createdTime", value: .string(RFC3339.text(file.createdTime))),
            JSONMember(name: "modifiedTime", value: .string(RFC3339.text(file.modifiedTime))),
        ]
        for (name, time) in [("trashedTime", file.trashedTime), ("viewedByMeTime", file.viewedTime)] {
            if let time { members.append(JSONMember(name: name, value: .string(RFC3339.text(time)))) }
        }
        let owner = access.accounts.first { $0.subject == file.ownerID } ?? access.account
        members += [
            JSONMember(name: "owners", value: [Self.user(owner, access)]),
            JSONMember(name: "ownedByMe", value: .bool(isOwned)),
            JSONMember(name: "shared", value: .bool(file.allPermissions(access).count > 1)),
            JSONMember(name: "writersCanShare", value: .bool(file.writersCanShare)),
            JSONMember(name: "copyRequiresWriterPermission", value: .bool(file.copyRequiresWriter)),
            JSONMember(name: "capabilities", value: Self.capabilities(file, access)),
        ]
        members += Self.properties(file, access)
        if file.role(of: access.account) ?? .reader >= .writer {
            let permissions = file.allPermissions(access)
            let ids = permissions.map { JSONNode.string($0.id) }
            members.append(JSONMember(name: "permissions", value: .array(permissions.map { $0.node(access) })))
            members.append(JSONMember(name: "permissionIds", value: .array(ids)))
        }
        if let size = file.size {
            members.append(JSONMember(name: "size", value: .string(String(size))))
            members.append(JSONMember(name: "quotaBytesUsed", value: .string(String(size))))
            members.append(JSONMember(name: "originalFilename", value: .string(file.originalName ?? file.name)))
            if let checksum = withChecksum ? self.checksum(of: file) : nil {
                members.append(JSONMember(name: "md5Checksum", value: .string(checksum)))
            }
        }
        return .object(members)
    }

    static func user(_ account: LocalProviderAccount, _ access: DriveAccess) -> JSONNode {
        let isCaller = account.subject == access.account.subject
        var members = [
            JSONMember(name: "kind", value: "drive#user"),
            JSONMember(name: "displayName", value: .string(account.name)),
        ]
        if isCaller { members.append(JSONMember(name: "photoLink", value: .string(access.pictureURL))) }
        members += [
            JSONMember(name: "me", value: .bool(isCaller)),
            JSONMember(name: "permissionId", value: .string(account.subject)),
            JSONMember(name: "emailAddress", value: .string(account.email)),
        ]
        return .object(members)
    }

    private static func properties(_ file: DriveFile, _ access: DriveAccess) -> [JSONMember] {
        var members: [JSONMember] = []
        if !file.properties.isEmpty {
            members.append(JSONMember(name: "properties", value: DriveFile.node(file.properties)))
        }
        if let own = file.applicationProperties[access.clientID], !own.isEmpty {
            members.append(JSONMember(name: "appProperties", value: DriveFile.node(own)))
        }
        if let color = file.folderColor {
            members.append(JSONMember(name: "folderColorRgb", value: .string(color)))
        }
        return members
    }

    private static func capabilities(_ file: DriveFile, _ access: DriveAccess) -> JSONNode {
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
