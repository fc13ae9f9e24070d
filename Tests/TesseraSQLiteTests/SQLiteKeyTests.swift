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

@Suite("The keys of an SQLite store")
struct SQLiteKeyTests {
    private static let newKey = [UInt8](repeating: 9, count: StoreKey.length)

    @Test("Another key than the record's is a missing key, and nothing is overwritten")
    func wrong() async throws {
        let folder = try DatabaseFolder()
        try await folder.save()
        let stranger = try folder.open(key: Self.newKey)
        #expect(await DatabaseFolder.code { try await stranger.load(DatabaseFolder.ada) } == .keyMissing)
        #expect(await DatabaseFolder.code { try await folder.save(generation: 2, in: stranger) } == .keyMissing)
        #expect(try await folder.open().load(DatabaseFolder.ada)?.generation == 1)
        #expect(try await stranger.list() == [DatabaseFolder.ada])
    }

    @Test("A former key opens older records, and a save seals with the current one")
    func former() async throws {
        let folder = try DatabaseFolder()
        try await folder.save()
        let store = try folder.open(key: Self.newKey, former: [DatabaseFolder.key])
        #expect(try await store.load(DatabaseFolder.ada)?.generation == 1)
        try await folder.save(generation: 2, in: store)
        #expect(try await folder.open(key: Self.newKey).load(DatabaseFolder.ada)?.generation == 2)
    }

    @Test("Every record is sealed anew in batches, with its mark, and those that cannot be opened are named at the end")
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
        try folder.meddle { try $0.execute(sql: damaged) }

        let store = try folder.open(key: Self.newKey, former: [DatabaseFolder.key])
        #expect(await DatabaseFolder.code { try await store.reseal(batch: 4) } == .corrupt)
        try await store.remove(Account(issuer: "https://a.example", clientID: "client", subject: "7"))
        #expect(try await store.reseal(batch: 4) == 0)
        let alone = try folder.open(key: Self.newKey)
        for account in try await alone.list() { #expect(try await alone.load(account)?.generation == 1) }
        #expect(try await alone.list().count == 24)
        #expect(try await alone.load(marked)?.refreshMark == mark)
    }

    @Test("Records that change while they are sealed anew stay as they were saved")
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

    @Test("A key file is made at first use, and where it is lost no new one is")
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

    @Test("Nothing of a token is in the database's files", .covers(124))
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
        "A database is named by its scheme and a path",
        arguments: [
            ("sqlite:/tmp/a.db", true), ("SQLite:///tmp/a.db", true), ("sqlite:", false), ("sqlite:~ada/x", false),
            ("sqlite://host/x", false), ("mysql:/tmp/a.db", false), ("sqlite:dir/", false),
        ]
    )
    func uri(text: String, isGood: Bool) {
        do {
            _ = try StoreURI(parsing: text, factories: [.sqlite])
            #expect(isGood)
        } catch {
            #expect(!isGood)
            #expect(StoreError.Code.unavailable ~= error)
        }
    }
}
#endif
