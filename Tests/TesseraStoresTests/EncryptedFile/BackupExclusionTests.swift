// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("Backup exclusion of files in an app's container")
struct BackupExclusionTests {
    /// Runs `body` with an existing directory and a recorder of the paths excluded below it.
    private static func watching(_ body: (StoreFolder, ExcludedPaths) async throws -> Void) async throws {
        let folder = try StoreFolder()
        let excluded = ExcludedPaths(below: folder.path)
        defer { excluded.end() }
        try await body(folder, excluded)
    }

    private static func create(_ directories: String...) throws {
        for directory in directories {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
    }

    @Test("Excludes the directories of the key and the sessions when the store creates them")
    func newDirectories() async throws {
        try await Self.watching { folder, excluded in
            try await folder.save()
            #expect(Set(excluded.paths).isSuperset(of: ["store", "keys"]))
        }
    }

    @Test("Excludes the key and each record in the app's own directories, which remain in backups")
    func foreignDirectories() async throws {
        try await Self.watching { folder, excluded in
            try Self.create(folder.store, folder.keys)
            let record = try await folder.save()
            let pending = record.replacing(".session", with: ".pending").dropFirst(folder.path.count + 1)
            #expect(excluded.paths.contains(String(pending)))
            // Each file is excluded before it gets its final name.
            #expect(excluded.paths.contains { $0.hasPrefix("keys/file-store.key.") })
            #expect(!excluded.paths.contains("store"))
            #expect(!excluded.paths.contains("keys"))
            try await folder.save(generation: 2)
            #expect(excluded.paths.filter { $0 == pending }.count == 2)
        }
    }

    @Test("Excludes Tessera's existing directories of keys, sessions, locks and items")
    func ownDirectories() async throws {
        try await Self.watching { folder, excluded in
            let own = folder.path + "/Library/Application Support/tessera"
            let names = ["sessions", "keys", "locks", "items"]
            for name in names { try Self.create(own + "/" + name) }
            let store = EncryptedFileStore(directory: own + "/sessions", keyDirectory: own + "/keys")
            try await store.probe()
            _ = try LockDirectory(path: own + "/locks").lock(.probe)
            let key = StoreKeyFile(directory: own + "/keys")
            try SealedItems(directory: own + "/items", keySource: .file(key)).write([1], as: "item")
            let paths = Set(excluded.paths)
            #expect(paths.isSuperset(of: names.map { "Library/Application Support/tessera/" + $0 }))
        }
    }

    @Test("Throws and creates no key if the key cannot be excluded")
    func key() async throws {
        try await Self.watching { folder, excluded in
            try Self.create(folder.store, folder.keys)
            excluded.fail("file-store.key")
            #expect(await StoreFolder.code { try await folder.open().probe() } == .system)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.keys).isEmpty)
            excluded.fail(nil)
            try await folder.open().probe()
        }
    }

    @Test("Starts no refresh if a record cannot be excluded, but saves one that is in progress")
    func record() async throws {
        try await Self.watching { folder, excluded in
            try await folder.save()
            let store = folder.open()
            let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1)
            excluded.fail(".pending")
            #expect(
                await StoreFolder.code { try await store.update(StoreFolder.ada) { try await $0.mark(mark) } }
                    == .system
            )
            excluded.fail(nil)
            try await store.update(StoreFolder.ada) { entry in
                try await entry.mark(mark)
                excluded.fail(".pending")
                try await entry.save(try .sample(for: StoreFolder.ada, generation: 2, size: 64))
            }
            #expect(try await store.load(StoreFolder.ada)?.generation == 2)
        }
    }

    @Test("Excludes a private file unless it is meant to be backed up, whether it exists or not")
    func privateFiles() async throws {
        try await Self.watching { folder, excluded in
            try FileSystem.makePrivateFile(folder.path + "/backed up", isBackedUp: true)
            #expect(excluded.paths.isEmpty)
            for _ in 1...2 { try FileSystem.makePrivateFile(folder.path + "/database") }
            #expect(excluded.paths == ["database", "database"])
        }
    }
}
