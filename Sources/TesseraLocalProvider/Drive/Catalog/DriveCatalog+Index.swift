// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJSON

extension DriveCatalog {
    /// What the directory's index file keeps: the files that a client created or changed.
    ///
    /// An index that cannot be read counts as empty; it holds nothing that the files themselves do not.
    init(index bytes: [UInt8]) {
        guard let entries = (try? JSONValue(parsing: bytes))?["files"]?.elements else { return }
        for entry in entries {
            if let file = DriveFile(indexEntry: entry), self.file(file.id) == nil { self.add(file) }
        }
    }

    /// The index file's content.
    var index: [UInt8] {
        let entries = self.files.filter { $0.creatorID != nil || $0.isIndexed }.map(\.indexEntry)
        return JSONNode.object([JSONMember(name: "files", value: .array(entries))]).serialized(pretty: true)
    }
}
#endif
