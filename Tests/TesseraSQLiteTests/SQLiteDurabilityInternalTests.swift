// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import Foundation
internal import GRDB
internal import Tessera
@testable internal import TesseraSQLite
internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Durability of the SQLite store")
struct SQLiteDurabilityInternalTests {
    @Test("The writer uses WAL mode with full synchronization")
    func synchronous() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        _ = try await store.open()
        let pool = try #require(store.database.pool)
        let (journal, synchronous) = try await pool.writeWithoutTransaction { database in
            (
                try String.fetchOne(database, sql: "PRAGMA journal_mode"),
                try Int.fetchOne(database, sql: "PRAGMA synchronous")
            )
        }
        #expect(journal == "wal")
        #expect(synchronous == 2)
    }

    @Test("Reserves space with a refresh mark and reports a full disk without losing the record")
    func full() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(in: store)
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1)
        try await store.update(DatabaseFolder.ada) { try await $0.mark(mark) }
        let reserve = store.database.reservePath
        #expect(try Data(contentsOf: URL(fileURLWithPath: reserve)).count == 1 << 20)
        // SQLite's page limit simulates a full disk.
        _ = try await store.open()
        let pool = try #require(store.database.pool)
        let pages = try await pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
        _ = try await pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA max_page_count = \(pages)") }
        let code = await DatabaseFolder.code {
            try await store.update(DatabaseFolder.ada) {
                try await $0.save(try .sample(for: DatabaseFolder.ada, generation: 2, size: 65_536))
            }
        }
        #expect(code == .full)
        #expect(try Data(contentsOf: URL(fileURLWithPath: reserve)).isEmpty)
        #expect(try await store.load(DatabaseFolder.ada)?.generation == 1)
        #expect(try await store.load(DatabaseFolder.ada)?.refreshMark == mark)
    }

    @Test("Resealing does not overwrite a record that was saved after it was read")
    func staleRow() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(in: store)
        _ = try await store.open()
        let pool = try #require(store.database.pool)
        let read: Row? = try pool.read { try Row.fetchOne($0, sql: "SELECT * FROM session") }
        let row = try #require(read)
        let key = try #require(Data.fromDatabaseValue(row["account"]))
        try await folder.save(generation: 2, in: store)
        let keys = StoreKeys(.random(), former: [try StoreKey(DatabaseFolder.key)])
        #expect(try store.database.reseal(row, key, keys, in: .shared(pool)) == false)
        #expect(try await store.load(DatabaseFolder.ada)?.generation == 2)
    }

    @Test(
        "Reads and updates a database of an earlier version, including its refresh marks",
        .covers(119),
        arguments: [1, 2]
    )
    func formats(format: Int) async throws {
        let folder = try DatabaseFolder()
        let fixture = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().appendingPathComponent("Fixtures/format-\(format).sqlite")
        // The current format is 2, in which marks are sealed in the records.
        if format == 2, ProcessInfo.processInfo.environment["TESSERA_WRITE_FIXTURES"] == "1" {
            let store = try folder.open()
            try await folder.save(DatabaseFolder.ada, generation: 3, in: store)
            try await folder.save(DatabaseFolder.bob, generation: 5, in: store)
            let mark = RefreshMark(begunAt: Date(timeIntervalSinceReferenceDate: 700_000_000.125), generation: 5)
            try await store.update(DatabaseFolder.bob) { try await $0.mark(mark) }
            _ = try await store.open()
            let pool = try #require(store.database.pool)
            try await pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try FileManager.default.copyItem(at: URL(fileURLWithPath: folder.database), to: fixture)
        } else {
            try FileManager.default.copyItem(at: fixture, to: URL(fileURLWithPath: folder.database))
        }
        let store = try folder.open()
        #expect(try await store.list() == [DatabaseFolder.ada, DatabaseFolder.bob])
        #expect(try await store.load(DatabaseFolder.ada) == .sample(for: DatabaseFolder.ada, generation: 3, size: 64))
        var expected = try SessionRecord.sample(for: DatabaseFolder.bob, generation: 5, size: 64)
        expected.refreshMark = RefreshMark(
            begunAt: Date(timeIntervalSinceReferenceDate: 700_000_000.125),
            generation: 5
        )
        #expect(try await store.load(DatabaseFolder.bob) == expected)
        try await folder.save(DatabaseFolder.ada, generation: 4, in: store)
        #expect(try await store.load(DatabaseFolder.ada)?.generation == 4)
    }
}
#endif
