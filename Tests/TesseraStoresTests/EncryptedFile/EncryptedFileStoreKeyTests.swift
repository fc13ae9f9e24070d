// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing
#if canImport(TestPrograms)
internal import TestPrograms
#endif

@Suite("Key of an encrypted file store")
struct EncryptedFileStoreKeyTests {
    @Test("Reports a missing key for every operation if records exist, and creates no new key", .shows(claims: 4))
    func missing() async throws {
        let folder = try StoreFolder()
        try await folder.save()
        try FileManager.default.removeItem(atPath: folder.key)
        let store = folder.open()
        #expect(await Self.code { try await store.load(StoreFolder.ada) } == .keyMissing)
        #expect(await Self.code { try await store.probe() } == .keyMissing)
        for account in [StoreFolder.ada, StoreFolder.bob] {
            let save = await Self.code {
                try await store.update(account) { try await $0.save(try .sample(for: account, generation: 2)) }
            }
            #expect(save == .keyMissing)
        }
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1)
        #expect(await Self.code { try await store.update(StoreFolder.ada) { try await $0.mark(mark) } } == .keyMissing)
        #expect(!FileManager.default.fileExists(atPath: folder.key))
        #expect(try await store.list() == [StoreFolder.ada])
    }

    @Test("Reports a different key as a missing key and overwrites nothing in the file store")
    func other() async throws {
        let folder = try StoreFolder()
        let path = try await folder.save()
        let record = try StoreFolder.read(path)
        try StoreFolder.write([UInt8](repeating: 7, count: 32), to: folder.key)
        let store = folder.open()
        #expect(await Self.code { try await store.load(StoreFolder.ada) } == .keyMissing)
        #expect(await Self.code { try await folder.save(generation: 2) } == .keyMissing)
        #expect(try StoreFolder.read(path) == record)
    }

    @Test("Reports a key of the wrong length as damaged", arguments: [0, 31, 33, 5000])
    func length(count: Int) async throws {
        let folder = try StoreFolder()
        try await folder.save()
        try StoreFolder.write([UInt8](repeating: 7, count: count), to: folder.key)
        #expect(await Self.code { try await folder.open().load(StoreFolder.ada) } == .corrupt)
    }

    @Test("Rejects a key that other users can read or write", arguments: [0o640, 0o604, 0o666, 0o610])
    func mode(mode: Int) async throws {
        let folder = try StoreFolder()
        try await folder.save()
        try StoreFolder.setMode(mode, folder.key)
        let error = await EncryptedFileStoreDamageTests.error { try await folder.open().load(StoreFolder.ada) }
        #expect(error?.code == .permissionDenied)
        #expect(error?.location == folder.key)
        try StoreFolder.setMode(0o400, folder.key)
        #expect(try await folder.open().load(StoreFolder.ada) != nil)
    }

    @Test("Rejects a key directory inside the store's directory, even through a symbolic link")
    func inside() async throws {
        let folder = try StoreFolder()
        try FileManager.default.createDirectory(atPath: folder.store, withIntermediateDirectories: true)
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.store)
        for keys in [folder.store, folder.store + "/keys", folder.path + "/./store//keys", link, link + "/a/b"] {
            let store = EncryptedFileStore(directory: folder.store, keyDirectory: keys)
            #expect(await Self.code { try await store.probe() } == .unavailable, "\(keys)")
        }
        #expect(try folder.names().isEmpty)
        let sibling = EncryptedFileStore(directory: folder.store, keyDirectory: folder.store + "-keys")
        try await sibling.probe()
    }

    @Test(
        "Rejects a directory that other users can write to, for records and for the key",
        arguments: ["store", "keys"]
    )
    func writable(location: String) async throws {
        let folder = try StoreFolder()
        let path = folder.path + "/" + location
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try StoreFolder.setMode(0o777, path)
        let error = await EncryptedFileStoreDamageTests.error { try await folder.open().probe() }
        #expect(error?.code == .permissionDenied)
        #expect(error?.location == path)
    }

    @Test(
        "Also rejects reading from a directory that other users can write to, and suggests chmod",
        arguments: ["store", "keys"],
        [0o777, 0o1777, 0o720]
    )
    func writableLater(location: String, mode: Int) async throws {
        let folder = try StoreFolder()
        try await folder.save()
        let path = folder.path + "/" + location
        try StoreFolder.setMode(mode, path)
        let load = await EncryptedFileStoreDamageTests.error { try await folder.open().load(StoreFolder.ada) }
        #expect(load?.code == .permissionDenied)
        #expect(load?.description.contains("chmod go-w") == true)
        #expect(await Self.code { _ = try await folder.open().list() } == .permissionDenied)
        try StoreFolder.setMode(0o755, path)
        #expect(try await folder.open().load(StoreFolder.ada) != nil)
    }

    @Test(
        "Rejects a record that other users can read or write and leaves its mode unchanged",
        arguments: [0o640, 0o604, 0o622]
    )
    func recordMode(mode: Int) async throws {
        let folder = try StoreFolder()
        let file = try await folder.save()
        try StoreFolder.setMode(mode, file)
        let error = await EncryptedFileStoreDamageTests.error { try await folder.open().load(StoreFolder.ada) }
        #expect(error?.code == .permissionDenied)
        #expect(error?.location == file)
        #expect(error?.description.contains("chmod 600") == true)
        #expect(try StoreFolder.mode(file) == mode)
        try StoreFolder.setMode(0o600, file)
        #expect(try await folder.open().load(StoreFolder.ada) != nil)
    }

    /// Only root can change the owner of a file.
    @Test(
        "Rejects a record, key or directory of another user and names its owner",
        .covers(149),
        .shows(claims: 5),
        .enabled(if: geteuid() == 0)
    )
    func owner() async throws {
        let folder = try StoreFolder()
        let file = try await folder.save()
        for path in [file, folder.key, folder.store] {
            #expect(chown(path, 65_534, 65_534) == 0)
            let error = await EncryptedFileStoreDamageTests.error { try await folder.open().load(StoreFolder.ada) }
            #expect(error?.code == .otherOwner)
            #expect(error?.location == path)
            #expect(error?.description.contains("(uid 65534), and this process is running as root (uid 0)") == true)
            #expect(chown(path, 0, 0) == 0)
        }
        #expect(try await folder.open().load(StoreFolder.ada) != nil)
    }

    #if canImport(TestPrograms)
    @Test("Eight processes that start together create one key")
    func race() async throws {
        for _ in 0..<5 {
            let folder = try StoreFolder()
            let probes = try (1...8).map { try ProbeProcess.start(["first", folder.store, folder.keys, "\($0)"]) }
            for probe in probes { #expect(await probe.output.lines() == ["saved: ok"]) }
            let store = folder.open()
            for account in try await store.list() { #expect(try await store.load(account) != nil) }
            #expect(try await store.list().count == 8)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.keys) == ["file-store.key"])
        }
    }

    @Test(
        "Creates files with mode 0600 and directories with mode 0700 regardless of the umask",
        .shows(claims: 5),
        arguments: ["000", "077", "777"]
    )
    func umask(mask: String) async throws {
        let folder = try StoreFolder()
        let configuration = folder.path + "/configuration"
        let lines = try await ProbeProcess.run(
            ["increment", folder.store, "-"],
            before: ["sh", "-c", "umask \(mask); exec \"$@\"", "sh"],
            environment: ["XDG_CONFIG_HOME": configuration]
        )
        #expect(lines == ["saved: 1"])
        let keys = configuration + "/tessera/keys"
        #expect(try StoreFolder.mode(folder.store) == 0o700)
        for directory in [configuration, configuration + "/tessera", keys] {
            #expect(try StoreFolder.mode(directory) == 0o700)
        }
        #expect(try StoreFolder.mode(keys + "/file-store.key") == 0o600)
        #expect(try folder.names().count == 2)
        for name in try folder.names() { #expect(try StoreFolder.mode(folder.store + "/" + name) == 0o600, "\(name)") }
    }
    #endif

    static func code(_ work: () async throws -> some Any) async -> StoreError.Code? {
        await EncryptedFileStoreDamageTests.error(work)?.code
    }
}
