// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

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
        let unwritable: Set<String> = [
            "size", "md5Checksum", "sha1Checksum", "sha256Checksum", "version", "owners", "ownedByMe", "shared",
            "spaces",
            "capabilities", "trashedTime", "explicitlyTrashed", "webViewLink", "webContentLink", "iconLink",
            "quotaBytesUsed", "headRevisionId", "fullFileExtension", "lastModifyingUser", "permissionIds",
            "sharedWithMeTime", "viewedByMe", "modifiedByMe", "modifiedByMeTime", "isAppAuthorized",
        ]
        guard self.names.isDisjoint(with: unwritable) else { throw Self.notWritable }
    }

    private static let notWritable = APIFailure.forbidden(
        "fieldNotWritable",
        "The resource body includes fields which are not directly writable."
    )

    /// Changes what is named, takes away what is null, and leaves the rest.
    func apply(to file: inout DriveFile, clientID: String, at now: Date) {
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
            file.trashedTime = isTrashed ? now : nil
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
#endif
