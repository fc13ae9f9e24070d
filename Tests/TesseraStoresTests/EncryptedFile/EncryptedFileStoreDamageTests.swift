// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Encrypted file store with modified files")
struct EncryptedFileStoreDamageTests {
    @Test("Reports a record truncated at any byte as damaged, never as absent", .covers(119))
    func truncated() async throws {
        let folder = try StoreFolder()
        let path = try await folder.save()
        let original = try StoreFolder.read(path)
        let store = folder.open()
        for length in 0..<original.count {
            try StoreFolder.write(Array(original[..<length]), to: path)
            await #expect(throws: StoreError.self, "at \(length) bytes") { try await store.load(StoreFolder.ada) }
            let code = await Self.code { try await store.load(StoreFolder.ada) }
            #expect(code == .corrupt, "at \(length) bytes")
        }
    }

    @Test("Reports a stored record with one changed byte as damaged, without secrets in the error", .covers(119, 124))
    func flipped() async throws {
        let folder = try StoreFolder()
        let path = try await folder.save()
        let original = try StoreFolder.read(path)
        let store = folder.open()
        for index in original.indices {
            var bytes = original
            bytes[index] ^= 1 << (index % 8)
            try StoreFolder.write(bytes, to: path)
            let error = await Self.error { try await store.load(StoreFolder.ada) }
            #expect(error?.code == .corrupt, "byte \(index)")
            #expect(error?.description.contains("sample-") != true)
        }
        try StoreFolder.write(original, to: path)
        #expect(try await store.load(StoreFolder.ada) == .sample(for: StoreFolder.ada, size: 64))
    }

    @Test("Reports a record with trailing bytes as damaged", .covers(119))
    func extended() async throws {
        let folder = try StoreFolder()
        let path = try await folder.save()
        try StoreFolder.write(try StoreFolder.read(path) + [0], to: path)
        #expect(await Self.code { try await folder.open().load(StoreFolder.ada) } == .corrupt)
    }

    @Test("Rejects one account's file under another account's name, and the errors name both files")
    func swapped() async throws {
        let folder = try StoreFolder()
        let ada = try await folder.save(StoreFolder.ada)
        let bob = try await folder.save(StoreFolder.bob)
        let (adas, bobs) = (try StoreFolder.read(ada), try StoreFolder.read(bob))
        try StoreFolder.write(bobs, to: ada)
        try StoreFolder.write(adas, to: bob)
        let store = folder.open()
        for (account, path) in [(StoreFolder.ada, ada), (StoreFolder.bob, bob)] {
            let error = await Self.error { try await store.load(account) }
            #expect(error?.code == .corrupt)
            #expect(error?.location == path)
        }
        #expect(await Self.code { try await store.list() } == .corrupt)
    }

    @Test("Lists a damaged record, which can be removed or replaced by a new sign-in")
    func repaired() async throws {
        let folder = try StoreFolder()
        let path = try await folder.save()
        var bytes = try StoreFolder.read(path)
        bytes[bytes.count - 1] ^= 1
        try StoreFolder.write(bytes, to: path)
        let store = folder.open()
        #expect(try await store.list() == [StoreFolder.ada])
        let code = await Self.code { try await store.update(StoreFolder.ada) { try await $0.load() } }
        #expect(code == .corrupt)
        try await folder.save(generation: 2)
        #expect(try await store.load(StoreFolder.ada)?.generation == 2)
        try StoreFolder.write([], to: path)
        try await store.remove(StoreFolder.ada)
        #expect(try await store.load(StoreFolder.ada) == nil)
    }

    @Test(
        "Rejects a symbolic link, a directory or a pipe in place of a record",
        arguments: ["link", "directory", "pipe"]
    )
    func notAFile(kind: String) async throws {
        let folder = try StoreFolder()
        let path = try await folder.save()
        let aside = folder.path + "/aside"
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        switch kind {
        case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: aside)
        case "directory": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        default: #expect(mkfifo(path, 0o600) == 0)
        }
        #expect(await Self.code { try await folder.open().load(StoreFolder.ada) } == .corrupt)
    }

    @Test(
        "Rejects a symbolic link in place of the lock or pending file and leaves its target unchanged",
        arguments: [".lock", ".pending"]
    )
    func linked(suffix: String) async throws {
        let folder = try StoreFolder()
        let path = try await folder.save()
        let target = folder.path + "/target"
        try StoreFolder.write([1, 2, 3], to: target)
        let link = path.dropLast(".session".count) + suffix
        try? FileManager.default.removeItem(atPath: String(link))
        try FileManager.default.createSymbolicLink(atPath: String(link), withDestinationPath: target)
        await #expect(throws: StoreError.self) { try await folder.save(generation: 2) }
        #expect(try StoreFolder.read(target) == [1, 2, 3])
        #expect(try StoreFolder.mode(target) != 0o600)
    }

    @Test("Neither the store's files nor its descriptions reveal a secret", .covers(124))
    func secrets() async throws {
        let folder = try StoreFolder()
        let store = folder.open()
        try await folder.save()
        try await store.update(StoreFolder.ada) { entry in
            try await entry.mark(RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1))
        }
        let key = try StoreFolder.read(folder.key)
        for name in try folder.names() {
            let bytes = try StoreFolder.read(folder.store + "/" + name)
            for word in ["sample-access-token", "sample-refresh-token", "sample-client-secret", "ada@example.com"] {
                #expect(Data(bytes).range(of: Data(word.utf8)) == nil, "\(name) shows \(word)")
            }
            #expect(Data(bytes).range(of: Data(key)) == nil, "\(name) shows the key")
            #expect(!name.contains("ada"))
        }
        _ = try await store.load(StoreFolder.ada)
        var dumped = ""
        dump(store, to: &dumped)
        for text in [dumped, "\(store)", String(reflecting: store)] {
            #expect(!text.contains("sample-"))
            #expect(!text.contains(key.map(String.init).joined(separator: ", ")))
            #expect(!text.contains(key.prefix(4).map { "- \($0)" }.joined(separator: "\n")))
        }
    }

    static func error(_ work: () async throws -> some Any) async -> StoreError? {
        do { _ = try await work() } catch { return error as? StoreError }
        return nil
    }

    static func code(_ work: () async throws -> some Any) async -> StoreError.Code? { await Self.error(work)?.code }
}
