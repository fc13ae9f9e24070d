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

@Suite("The key of an encrypted file store")
struct EncryptedFileStoreKeyTests {
    @Test("A missing key where records are is an error for every call, and no new key is made", .shows(claims: 4))
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

    @Test("Another key in place of the records' own is a missing key, and nothing is overwritten")
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

    @Test("A key of another length is damaged", arguments: [0, 31, 33, 5000])
    func length(count: Int) async throws {
        let folder = try StoreFolder()
        try await folder.save()
        try StoreFolder.write([UInt8](repeating: 7, count: count), to: folder.key)
        #expect(await Self.code { try await folder.open().load(StoreFolder.ada) } == .corrupt)
    }

    @Test("A key that others may read or write is refused", arguments: [0o640, 0o604, 0o666, 0o610])
    func mode(mode: Int) async throws {
        let folder = try StoreFolder()
        try await folder.save()
        try StoreFolder.setMode(mode, folder.key)
        let error = await EncryptedFileStoreDamageTests.error { try await folder.open().load(StoreFolder.ada) }
        #expect(error?.code == .permissionDenied)
        #expect(error?.place == folder.key)
        try StoreFolder.setMode(0o400, folder.key)
        #expect(try await folder.open().load(StoreFolder.ada) != nil)
    }

    @Test("A key directory inside the store's is refused, by its name and through a link")
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
        let beside = EncryptedFileStore(directory: folder.store, keyDirectory: folder.store + "-keys")
        try await beside.probe()
    }

    @Test(
        "A directory in which others may write is refused, for the records and for the key",
        arguments: ["store", "keys"]
    )
    func writable(place: String) async throws {
        let folder = try StoreFolder()
        let path = folder.path + "/" + place
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try StoreFolder.setMode(0o777, path)
        let error = await EncryptedFileStoreDamageTests.error { try await folder.open().probe() }
        #expect(error?.code == .permissionDenied)
        #expect(error?.place == path)
    }

    @Test(
        "A directory that others may write to is refused for reading, too, with what to do",
        arguments: ["store", "keys"],
        [0o777, 0o1777, 0o720]
    )
    func writableLater(place: String, mode: Int) async throws {
        let folder = try StoreFolder()
        try await folder.save()
        let path = folder.path + "/" + place
        try StoreFolder.setMode(mode, path)
        let load = await EncryptedFileStoreDamageTests.error { try await folder.open().load(StoreFolder.ada) }
        #expect(load?.code == .permissionDenied)
        #expect(load?.description.contains("chmod go-w") == true)
        #expect(await Self.code { _ = try await folder.open().list() } == .permissionDenied)
        try StoreFolder.setMode(0o755, path)
        #expect(try await folder.open().load(StoreFolder.ada) != nil)
    }

    @Test("A record that others may read or write is refused and left as it is", arguments: [0o640, 0o604, 0o622])
    func recordMode(mode: Int) async throws {
        let folder = try StoreFolder()
        let file = try await folder.save()
        try StoreFolder.setMode(mode, file)
        let error = await EncryptedFileStoreDamageTests.error { try await folder.open().load(StoreFolder.ada) }
        #expect(error?.code == .permissionDenied)
        #expect(error?.place == file)
        #expect(error?.description.contains("chmod 600") == true)
        #expect(try StoreFolder.mode(file) == mode)
        try StoreFolder.setMode(0o600, file)
        #expect(try await folder.open().load(StoreFolder.ada) != nil)
    }

    /// Only root may give files away.
    @Test(
        "A record, a key and a directory of another user are refused, and their owner is named",
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
            #expect(error?.place == path)
            #expect(error?.description.contains("(uid 65534), and this process runs as root (uid 0)") == true)
            #expect(chown(path, 0, 0) == 0)
        }
        #expect(try await folder.open().load(StoreFolder.ada) != nil)
    }

    #if canImport(TestPrograms)
    @Test("Eight processes that come first together end with one key")
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
        "Files have mode 0600 and directories 0700 whatever the umask",
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
