// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import Foundation
internal import GRDB
internal import Tessera
internal import TesseraSQLite
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Keys of the SQLite store")
struct SQLiteKeyTests {
    private static let newKey = [UInt8](repeating: 9, count: StoreKey.length)

    @Test("Reports a wrong key as a missing key and overwrites nothing")
    func wrong() async throws {
        let folder = try DatabaseFolder()
        try await folder.save()
        let wrongKeyStore = try folder.open(key: Self.newKey)
        #expect(await DatabaseFolder.code { try await wrongKeyStore.load(DatabaseFolder.ada) } == .keyMissing)
        #expect(await DatabaseFolder.code { try await folder.save(generation: 2, in: wrongKeyStore) } == .keyMissing)
        #expect(try await folder.open().load(DatabaseFolder.ada)?.generation == 1)
        #expect(try await wrongKeyStore.list() == [DatabaseFolder.ada])
    }

    @Test("Opens older records with a former key and seals new ones with the current key")
    func former() async throws {
        let folder = try DatabaseFolder()
        try await folder.save()
        let store = try folder.open(key: Self.newKey, former: [DatabaseFolder.key])
        #expect(try await store.load(DatabaseFolder.ada)?.generation == 1)
        try await folder.save(generation: 2, in: store)
        #expect(try await folder.open(key: Self.newKey).load(DatabaseFolder.ada)?.generation == 2)
    }

    @Test("Reseals all SQLite records in batches with their marks and reports unreadable ones at the end")
    func resealed() async throws {
        let folder = try DatabaseFolder()
        let old = try folder.open()
        for number in 0..<25 {
            try await folder.save(
                Account(issuer: "https://a.example", clientID: "client", subject: "\(number)"),
                in: old
            )
        }
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_000.123456), generation: 1)
        let marked = Account(issuer: "https://a.example", clientID: "client", subject: "3")
        try await old.update(marked) { try await $0.mark(mark) }
        let damaged = "UPDATE session SET record = zeroblob(100) WHERE subject = '7'"
        try folder.modify { try $0.execute(sql: damaged) }

        let store = try folder.open(key: Self.newKey, former: [DatabaseFolder.key])
        #expect(await DatabaseFolder.code { try await store.reseal(batch: 4) } == .corrupt)
        try await store.remove(Account(issuer: "https://a.example", clientID: "client", subject: "7"))
        #expect(try await store.reseal(batch: 4) == 0)
        let newKeyStore = try folder.open(key: Self.newKey)
        for account in try await newKeyStore.list() { #expect(try await newKeyStore.load(account)?.generation == 1) }
        #expect(try await newKeyStore.list().count == 24)
        #expect(try await newKeyStore.load(marked)?.refreshMark == mark)
    }

    @Test("Resealing SQLite records does not overwrite concurrent changes")
    func concurrently() async throws {
        let folder = try DatabaseFolder()
        let keys = (old: try folder.open(), new: try folder.open(key: Self.newKey, former: [DatabaseFolder.key]))
        let both = try folder.open(key: DatabaseFolder.key, former: [Self.newKey])
        let saver = Task {
            for generation in 1...200 { try await folder.save(generation: Int64(generation), in: both) }
        }
        try await folder.save(DatabaseFolder.bob, in: keys.old)
        for _ in 0..<100 { _ = try await keys.new.reseal() }
        try await saver.value
        _ = try await keys.new.reseal()
        #expect(try await folder.open(key: Self.newKey).load(DatabaseFolder.ada)?.generation == 200)
    }

    @Test("Creates a key file on first use and does not replace a lost one")
    func keyFile() async throws {
        let folder = try DatabaseFolder()
        let keys = folder.path + "/keys"
        func open() -> SQLiteStore { SQLiteStore(path: folder.database, keyDirectory: keys) }
        try await folder.save(in: open())
        #expect(try await open().load(DatabaseFolder.ada)?.generation == 1)
        try FileManager.default.removeItem(atPath: keys + "/file-store.key")
        #expect(await DatabaseFolder.code { try await open().load(DatabaseFolder.ada) } == .keyMissing)
        #expect(await DatabaseFolder.code { try await folder.save(generation: 2, in: open()) } == .keyMissing)
        #expect(await DatabaseFolder.code { try await open().probe() } == .keyMissing)
        #expect(try FileManager.default.contentsOfDirectory(atPath: keys).isEmpty)
    }

    @Test("The database files contain no token", .covers(124))
    func clear() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(in: store)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))
            #expect(bytes.range(of: Data("sample-".utf8)) == nil, "\(name)")
        }
    }

    @Test(
        "Accepts a database URI with the sqlite scheme and a path",
        arguments: [
            ("sqlite:/tmp/a.db", true), ("SQLite:///tmp/a.db", true), ("sqlite:", false), ("sqlite:~ada/x", false),
            ("sqlite://host/x", false), ("mysql:/tmp/a.db", false), ("sqlite:dir/", false),
        ]
    )
    func uri(text: String, isValid: Bool) {
        do {
            _ = try StoreURI(parsing: text, factories: [.sqlite])
            #expect(isValid)
        } catch {
            #expect(!isValid)
            #expect(StoreError.Code.unavailable ~= error)
        }
    }
}
#endif
