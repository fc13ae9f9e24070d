// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJSON

extension DriveCatalog {
    /// What the directory's index file keeps: the files that a client created.
    ///
    /// An index that cannot be read counts as empty; it holds nothing that the files themselves do not.
    init(index bytes: [UInt8]) {
        guard let entries = (try? JSONValue(parsing: bytes))?["files"]?.elements else { return }
        for entry in entries {
            guard let id = entry["id"]?.string, let name = entry["name"]?.string,
                let mimeType = entry["mimeType"]?.string, MediaType.isValid(mimeType),
                let created = try? entry["created"]?.double()
            else { continue }
            let fileName = entry["fileName"]?.string
            self.add(
                DriveFile(
                    id: id,
                    name: name,
                    mimeType: mimeType,
                    description: entry["description"]?.string,
                    createdTime: Date(timeIntervalSince1970: created),
                    modifiedTime: Date(timeIntervalSince1970: created),
                    content: fileName.map { .disk(fileName: $0, size: 0) } ?? .none,
                    creatorID: entry["creator"]?.string
                )
            )
        }
    }

    /// The index file's content.
    var index: [UInt8] {
        let created = self.files.filter { $0.creatorID != nil }
        let entries = created.map { file -> JSONNode in
            var members = [
                JSONMember(name: "id", value: .string(file.id)),
                JSONMember(name: "name", value: .string(file.name)),
                JSONMember(name: "mimeType", value: .string(file.mimeType)),
                JSONMember(name: "created", value: .double(file.createdTime.timeIntervalSince1970)),
            ]
            if case .disk(let fileName, _) = file.content {
                members.append(JSONMember(name: "fileName", value: .string(fileName)))
            }
            if let creator = file.creatorID { members.append(JSONMember(name: "creator", value: .string(creator))) }
            if let text = file.description { members.append(JSONMember(name: "description", value: .string(text))) }
            return .object(members)
        }
        return JSONNode.object([JSONMember(name: "files", value: .array(entries))]).serialized(pretty: true)
    }
}
#endif
