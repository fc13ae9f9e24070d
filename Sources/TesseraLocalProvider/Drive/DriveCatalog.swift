// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

/// The files in Drive, with the metadata that cannot be stored in a directory.
struct DriveCatalog: Sendable {
    private(set) var files: [DriveFile] = []
    /// The number of the most recent change.
    private(set) var version = 0
    /// Whether any file is in the trash or inherits permissions from a folder.
    private var isSettled = false
    /// The most recent change to each current or deleted file.
    private(set) var changes: [String: DriveChange] = [:]

    func file(_ id: String) -> DriveFile? { self.files.first { $0.id == id } }

    mutating func add(_ file: DriveFile) {
        self.append(file)
        self.settle()
    }

    /// Replaces the file with the same identifier.
    mutating func replace(_ file: DriveFile) {
        guard let index = self.files.firstIndex(where: { $0.id == file.id }) else { return }
        self.files[index] = file
        self.files[index].isIndexed = true
        self.note(index)
        self.settle()
    }

    mutating func remove(_ id: String, at now: Date) {
        guard let file = self.file(id) else { return }
        self.files.removeAll { $0.id == id }
        self.noteRemoval(of: file, at: now)
        self.settle()
    }

    /// Updates the catalog to match the directory.
    ///
    /// New files get an identifier derived from their name. Files that no longer exist are removed.
    mutating func update(from items: [DriveDirectory.Item]) {
        var rest = Dictionary(items.map { ($0.name, $0) }) { first, _ in first }
        for (index, file) in self.files.enumerated().reversed() {
            guard case .disk(let fileName, _) = file.content else { continue }
            if let item = rest.removeValue(forKey: fileName) {
                self.files[index].content = .disk(fileName: fileName, size: item.size)
                guard file.contentTime.map({ abs($0.timeIntervalSince(item.modifiedTime)) > 0.000_01 }) ?? true else {
                    continue
                }
                self.files[index].modifiedTime = item.modifiedTime
                self.files[index].contentTime = item.modifiedTime
                if file.contentTime != nil { self.note(index) }
            } else {
                self.files.remove(at: index)
                self.noteRemoval(of: file, at: file.modifiedTime)
            }
        }
        for item in rest.values.sorted(by: { $0.name < $1.name }) {
            self.append(
                DriveFile(
                    id: self.identifier(for: item.name),
                    name: item.name,
                    mimeType: MediaType.of(fileName: item.name),
                    createdTime: item.modifiedTime,
                    modifiedTime: item.modifiedTime,
                    content: .disk(fileName: item.name, size: item.size),
                    contentTime: item.modifiedTime
                )
            )
        }
        self.settle()
    }

    /// Returns an identifier derived from the name, which is the same on every run.
    func identifier(for name: String) -> String {
        var id = Self.identifier(name)
        while self.file(id) != nil { id = Self.identifier(id) }
        return id
    }

    static func identifier(_ text: String) -> String {
        "1" + Base64URL.encode(Array(SHA256.hash(data: Array(text.utf8)).prefix(24)))
    }

    /// Returns all files in a folder and its subfolders.
    func descendants(of id: String) -> [DriveFile] {
        var found: [DriveFile] = []
        var (folders, seen) = ([id], Set([id]))
        while let folder = folders.popLast() {
            for file in self.files where file.parents.contains(folder) && seen.insert(file.id).inserted {
                found.append(file)
                folders.append(file.id)
            }
        }
        return found
    }

    private mutating func append(_ file: DriveFile) {
        self.files.append(file)
        self.note(self.files.count - 1)
    }

    private mutating func note(_ index: Int) {
        self.version += 1
        self.files[index].version = self.version
        let file = self.files[index]
        self.changes[file.id] = DriveChange(number: self.version, time: file.modifiedTime, file: file, isRemoved: false)
    }

    private mutating func noteRemoval(of file: DriveFile, at time: Date) {
        self.version += 1
        var file = file
        file.content = .none
        self.changes[file.id] = DriveChange(number: self.version, time: time, file: file, isRemoved: true)
    }

    /// Makes a folder's contents inherit its trashed state and permissions.
    private mutating func settle() {
        let trashed = self.files.filter(\.isTrashed)
        let inTrash = Set(trashed.flatMap { [$0.id] + self.descendants(of: $0.id).map(\.id) })
        var inherited: [String: (permissions: [DrivePermission], owners: Set<String>)] = [:]
        for folder in self.files where folder.isFolder && !folder.permissions.isEmpty {
            for file in self.descendants(of: folder.id) {
                inherited[file.id, default: ([], [])].permissions += folder.permissions
                if let owner = folder.ownerID { inherited[file.id, default: ([], [])].owners.insert(owner) }
            }
        }
        guard !inTrash.isEmpty || !inherited.isEmpty || self.isSettled else { return }
        self.isSettled = !inTrash.isEmpty || !inherited.isEmpty
        for index in self.files.indices {
            let id = self.files[index].id
            self.files[index].isInTrash = inTrash.contains(id)
            self.files[index].inheritedPermissions = inherited[id]?.permissions ?? []
            self.files[index].folderOwnerIDs = inherited[id]?.owners ?? []
        }
    }
}

extension DriveCatalog {
    static func samples(at time: Date) -> DriveCatalog {
        let texts = [
            ("Welcome.txt", "This file comes from the Tessera Local Provider. No real Drive is involved.\n"),
            ("Ingredients.csv", "name,grams\nflour,500\nwater,350\nsalt,10\n"),
            ("Travel notes.md", "# Travel notes\n\n- Pack light.\n- Leave early.\n- Write home.\n"),
        ]
        var catalog = DriveCatalog()
        for (name, text) in texts {
            catalog.add(
                DriveFile(
                    id: catalog.identifier(for: name),
                    name: name,
                    mimeType: MediaType.of(fileName: name),
                    createdTime: time,
                    modifiedTime: time,
                    content: .memory(Array(text.utf8))
                )
            )
        }
        return catalog
    }

    /// Creates a catalog from a directory's index file, which lists the files that clients have created or changed.
    ///
    /// An index that cannot be read is treated as empty, because it contains only metadata.
    init(index bytes: [UInt8]) {
        guard let entries = (try? JSONValue(parsing: bytes))?["files"]?.elements else { return }
        for entry in entries {
            if let file = DriveFile(indexEntry: entry), self.file(file.id) == nil { self.add(file) }
        }
    }

    var index: [UInt8] {
        let entries = self.files.filter { $0.creatorID != nil || $0.isIndexed }.map(\.indexEntry)
        return JSONNode.members(["files": entries]).serialized(pretty: true)
    }
}

/// The most recent change to a file, as returned by `changes.list`.
struct DriveChange: Sendable {
    var number: Int
    var time: Date
    /// The current file, or its final state before it was deleted.
    var file: DriveFile
    var isRemoved: Bool
}
#endif
