// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Crypto
internal import TesseraJOSE
internal import TesseraJSON

/// The files that the Drive knows, with what a directory cannot keep about them.
struct DriveCatalog: Sendable {
    private(set) var files: [DriveFile] = []

    /// A file of that identifier.
    func file(_ id: String) -> DriveFile? { self.files.first { $0.id == id } }

    mutating func add(_ file: DriveFile) { self.files.append(file) }

    /// Puts a file in the place of the one with its identifier.
    mutating func replace(_ file: DriveFile) {
        guard let index = self.files.firstIndex(where: { $0.id == file.id }) else { return }
        self.files[index] = file
    }

    mutating func remove(_ id: String) { self.files.removeAll { $0.id == id } }

    /// Takes over what a directory holds now: new files join under an identifier made of their name, lost ones leave.
    mutating func update(from items: [DriveDirectory.Item]) {
        var rest = Dictionary(items.map { ($0.name, $0) }) { first, _ in first }
        self.files = self.files.compactMap { file in
            guard case .disk(let fileName, _) = file.content else { return file }
            guard let item = rest.removeValue(forKey: fileName) else { return nil }
            var file = file
            file.content = .disk(fileName: fileName, size: item.size)
            file.modifiedTime = item.modifiedTime
            return file
        }
        for item in rest.values.sorted(by: { $0.name < $1.name }) {
            self.files.append(
                DriveFile(
                    id: self.identifier(for: item.name),
                    name: item.name,
                    mimeType: MediaType.of(fileName: item.name),
                    createdTime: item.modifiedTime,
                    modifiedTime: item.modifiedTime,
                    content: .disk(fileName: item.name, size: item.size)
                )
            )
        }
    }

    /// The same for the same name, run after run.
    func identifier(for name: String) -> String {
        let make: (String) -> String = { text in
            "1" + Base64URL.encode(Array(SHA256.hash(data: Array(text.utf8)).prefix(24)))
        }
        var id = make(name)
        while self.file(id) != nil { id = make(id) }
        return id
    }

    /// A few files for a provider without a directory.
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
}
#endif
