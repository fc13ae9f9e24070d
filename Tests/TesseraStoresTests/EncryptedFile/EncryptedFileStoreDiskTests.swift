// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(TestPrograms)
internal import Dispatch
internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Encrypted file store with disk errors")
struct EncryptedFileStoreDiskTests {
    @Test(
        "Reports a full disk when it marks a refresh, before the request, and then saves into reserved space",
        .covers(115),
        .enabled("needs a mount namespace (unshare)") { await ProbeProcess.canMount() }
    )
    func full() async throws {
        let folder = try StoreFolder()
        try FileManager.default.createDirectory(atPath: folder.store, withIntermediateDirectories: true)
        let lines = try await ProbeProcess.run(
            ["full", folder.store, folder.keys],
            before: ProbeProcess.mounting("mount -t tmpfs -o size=256k,mode=700 none \"$0\"", folder.store)
        )
        #expect(
            lines == [
                "save: 1",
                "probe on a full disk: full 28",
                "save on a full disk: full 28",
                "mark on a full disk: full 28",
                "load: 1",
                "mark: ok",
                "save of more than was reserved: full 28",
                "load: 1 marked",
                "save of what was reserved: 2",
                "load: 2",
            ]
        )
    }

    @Test(
        "Reads from a read-only file system and reports the system's error number for a save",
        .enabled("needs a mount namespace (unshare)") { await ProbeProcess.canMount() }
    )
    func readOnly() async throws {
        let folder = try StoreFolder()
        try await folder.save(generation: 5)
        let lines = try await ProbeProcess.run(
            ["all", folder.store, folder.keys],
            before: ProbeProcess.mounting("mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\"", folder.store)
        )
        #expect(lines == ["load: 5", "list: 1", "probe: permissionDenied 30", "save: permissionDenied 30"])
    }

    @Test(
        "Loads and lists sessions while a save waits for a slow disk",
        .covers(115),
        .timeLimit(.minutes(1))
    )
    func slow() async throws {
        let folder = try StoreFolder()
        try await folder.save(generation: 5)
        let disk = DispatchSemaphore(value: 0)
        let saving = Task { try await BlockingExecutor.shared.run { disk.wait() } }
        let store = folder.open()
        #expect(try await store.load(StoreFolder.ada)?.generation == 5)
        #expect(try await store.list() == [StoreFolder.ada])
        disk.signal()
        try await saving.value
    }

    @Test("Reads from a directory without write permission and reports the system's error number for a save")
    func unwritable() async throws {
        let folder = try StoreFolder()
        try await folder.save(generation: 5)
        try FileManager.default.removeItem(atPath: folder.store + "/" + (try folder.names(".lock")[0]))
        try StoreFolder.setMode(0o500, folder.store)
        defer { try? StoreFolder.setMode(0o700, folder.store) }
        let lines = try await ProbeProcess.run(
            ["all", folder.store, folder.keys],
            before: try Self.asAnotherUser(folder)
        )
        #expect(lines == ["load: 5", "list: 1", "probe: permissionDenied 13", "save: permissionDenied 13"])
    }

    @Test("Reports a directory without read permission as an error, never as an empty store")
    func unreadable() async throws {
        let folder = try StoreFolder()
        try await folder.save(generation: 5)
        try StoreFolder.setMode(0o000, folder.store)
        defer { try? StoreFolder.setMode(0o700, folder.store) }
        let lines = try await ProbeProcess.run(
            ["all", folder.store, folder.keys],
            before: try Self.asAnotherUser(folder)
        )
        #expect(
            lines == [
                "load: permissionDenied 13", "list: permissionDenied 13", "probe: permissionDenied 13",
                "save: permissionDenied 13",
            ]
        )
    }

    /// Only root can become another user.
    @Test(
        "Reports files of another user in an inaccessible directory as that user's",
        .covers(149),
        .enabled(if: geteuid() == 0),
        arguments: [0o700, 0o755]
    )
    func otherOwner(mode: Int) async throws {
        let folder = try StoreFolder()
        try await folder.save(generation: 5)
        try StoreFolder.setMode(0o755, folder.path)
        let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        try StoreFolder.setMode(mode, folder.store)
        let lines = try await ProbeProcess.run(["all", folder.store, folder.keys], before: other)
        #expect(lines == ["load", "list", "probe", "save"].map { $0 + ": otherOwner 13" })
    }

    @Test("Reads from a network file system but rejects updates unless they are forced")
    func network() async throws {
        let folder = try StoreFolder()
        try await folder.save()
        func store(forced: Bool) -> EncryptedFileStore {
            EncryptedFileStore(
                directory: folder.store,
                keySource: .file(StoreKeyFile(directory: folder.keys)),
                forcesNetworkFileSystem: forced,
                lockTimeout: .seconds(60),
                clock: TestClock(),
                networkFileSystem: { _ in "NFS" }
            )
        }
        let refusal = StoreError(.networkFileSystem, location: folder.store, detail: "NFS")
        await #expect(throws: refusal) { try await store(forced: false).update(StoreFolder.ada) { _ in } }
        await #expect(throws: refusal) { try await store(forced: false).probe() }
        #expect(try await store(forced: false).load(StoreFolder.ada) != nil)
        #expect(try await store(forced: true).update(StoreFolder.ada) { _ in 42 } == 42)
    }

    @Test("Reports a file in place of the directory or an invalid path as unavailable")
    func notADirectory() async throws {
        let folder = try StoreFolder()
        try StoreFolder.write([], to: folder.store)
        #expect(await EncryptedFileStoreKeyTests.code { try await folder.open().load(StoreFolder.ada) } == .unavailable)
        #expect(await EncryptedFileStoreKeyTests.code { try await folder.open().probe() } == .unavailable)
        for path in ["", "/tmp/a\0b"] {
            let store = EncryptedFileStore(directory: path, keyDirectory: folder.keys)
            #expect(await EncryptedFileStoreKeyTests.code { try await store.list() } == .unavailable)
        }
    }

    @Test("A probe and a removal leave only lock files behind")
    func tidy() async throws {
        let folder = try StoreFolder()
        let store = folder.open()
        try await store.remove(StoreFolder.ada)
        #expect(!FileManager.default.fileExists(atPath: folder.store))
        try await store.probe()
        #expect(try folder.names() == ["probe.lock"])
        try await folder.save()
        try await store.update(StoreFolder.ada) { entry in
            try await entry.mark(RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1))
        }
        try await store.remove(StoreFolder.ada)
        #expect(try folder.names().allSatisfy { $0.hasSuffix(".lock") })
        #expect(try await store.load(StoreFolder.ada) == nil)
    }

    /// Returns a command prefix that runs a program as a user who owns the folder but is subject to its permissions.
    private static func asAnotherUser(_ folder: StoreFolder) throws -> [String] {
        guard geteuid() == 0 else { return [] }
        for case let path as String in FileManager.default.enumerator(atPath: folder.path) ?? .init() {
            #expect(lchown(folder.path + "/" + path, 65_534, 65_534) == 0)
        }
        return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    }
}
#endif
