// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Foundation
internal import Tessera
@testable internal import TesseraPostgreSQL
internal import TesseraStores
internal import TesseraTesting
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite(
    "PostgreSQL store with modified tables, and its keys",
    .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed"),
    SharedPostgreSQL()
)
struct PostgreSQLDamageInternalTests {
    private static let newKey = [UInt8](repeating: 9, count: StoreKey.length)
    private let server: PostgreSQLInstance
    private let schema = PostgreSQLInstance.newSchema()

    init() throws { self.server = try #require(PostgreSQLInstance.shared) }

    @Test(
        "Reports a record with a changed byte or in another account's row as damaged",
        .covers(119, 124),
        .shows(claims: 1)
    )
    func damaged() async throws {
        let store = try self.server.store(self.schema)
        try await PostgreSQLInstance.save(in: store)
        try await PostgreSQLInstance.save(PostgreSQLInstance.bob, in: store)
        let rows = try await self.server.sql("SELECT record FROM \(self.schema).session WHERE subject = 'ada'")
        let original = try #require(rows.first?.first?.bytes)
        let update = "UPDATE \(self.schema).session SET record = $1::bytea WHERE subject = $2::text"
        for index in stride(from: 0, to: original.count, by: 23) {
            var bytes = original
            bytes[index] ^= 1 << (index % 8)
            try await self.server.sql(update, [SQLValue(bytes), SQLValue("ada")])
            let error = await PostgreSQLInstance.error { try await store.load(PostgreSQLInstance.ada) }
            #expect(error?.code == .corrupt, "byte \(index)")
            #expect(error?.description.contains("sample-") != true)
        }
        try await self.server.sql(update, [SQLValue(original), SQLValue("ada")])
        #expect(try await store.load(PostgreSQLInstance.ada) == .sample(for: PostgreSQLInstance.ada, size: 64))
        try await self.server.sql(update, [SQLValue(original), SQLValue("bob")])
        #expect(await PostgreSQLInstance.code { try await store.load(PostgreSQLInstance.bob) } == .corrupt)
        try await self.server.sql("UPDATE \(self.schema).session SET subject = 'eve' WHERE subject = 'bob'")
        #expect(try await store.list() == [PostgreSQLInstance.ada])
    }

    @Test(
        "Detects a refresh mark that another program added to or removed from a PostgreSQL row",
        .covers(137),
        .shows(claims: 2)
    )
    func marks() async throws {
        let store = try self.server.store(self.schema)
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_000), generation: 1)
        try await PostgreSQLInstance.save(in: store)
        let unmarked = try await self.server.sql("SELECT record FROM \(self.schema).session").first?.first?.bytes
        try await store.update(PostgreSQLInstance.ada) { try await $0.mark(mark) }
        let rows = try await self.server.sql(
            "SELECT record, mark_begun_at, mark_generation FROM \(self.schema).session"
        )
        #expect(rows.first?[1].bytes == nil)
        #expect(rows.first?[2].bytes == nil)
        var bytes = try #require(rows.first?[0].bytes)
        #expect(bytes != unmarked)
        bytes[bytes.count - 20] ^= 1
        let update = "UPDATE \(self.schema).session SET record = $1::bytea"
        try await self.server.sql(update, [SQLValue(bytes)])
        #expect(await PostgreSQLInstance.code { try await store.load(PostgreSQLInstance.ada) } == .corrupt)
        try await self.server.sql(update, [rows[0][0]])
        #expect(try await store.load(PostgreSQLInstance.ada)?.refreshMark == mark)
        // The columns in which earlier versions stored the mark apply only to rows of those versions.
        try await self.server.sql("UPDATE \(self.schema).session SET mark_begun_at = 1, mark_generation = 1")
        let error = await PostgreSQLInstance.error { try await store.load(PostgreSQLInstance.ada) }
        #expect(error?.code == .corrupt)
        #expect(error?.detail?.contains("refresh mark") == true)
        try await PostgreSQLInstance.save(generation: 2, in: store)
        #expect(try await store.load(PostgreSQLInstance.ada)?.generation == 2)
    }

    @Test("Leaves tables of a newer version unchanged and reports them as newer", .covers(119))
    func newer() async throws {
        try await PostgreSQLInstance.save(in: try self.server.store(self.schema))
        try await self.server.sql("INSERT INTO \(self.schema).migration (version) VALUES (1000)")
        let store = try self.server.store(self.schema)
        #expect(await PostgreSQLInstance.code { try await store.load(PostgreSQLInstance.ada) } == .newerFormat)
        #expect(await PostgreSQLInstance.code { try await store.probe() } == .newerFormat)
        #expect(
            await PostgreSQLInstance.code { try await PostgreSQLInstance.save(generation: 2, in: store) }
                == .newerFormat
        )
    }

    @Test("Reports a wrong key as a missing key, overwrites nothing and opens records with a former key")
    func keys() async throws {
        try await PostgreSQLInstance.save(in: try self.server.store(self.schema))
        let wrongKeyStore = try self.server.store(self.schema, key: Self.newKey)
        #expect(await PostgreSQLInstance.code { try await wrongKeyStore.load(PostgreSQLInstance.ada) } == .keyMissing)
        #expect(
            await PostgreSQLInstance.code { try await PostgreSQLInstance.save(generation: 2, in: wrongKeyStore) }
                == .keyMissing
        )
        #expect(try await wrongKeyStore.list() == [PostgreSQLInstance.ada])
        let store = try self.server.store(self.schema, key: Self.newKey, former: [PostgreSQLInstance.key])
        #expect(try await store.load(PostgreSQLInstance.ada)?.generation == 1)
        try await PostgreSQLInstance.save(generation: 2, in: store)
        #expect(try await wrongKeyStore.load(PostgreSQLInstance.ada)?.generation == 2)
    }

    @Test("Reseals all PostgreSQL records in batches with their marks and reports unreadable ones at the end")
    func resealed() async throws {
        let old = try self.server.store(self.schema)
        func account(_ number: Int) -> Account {
            Account(issuer: "https://a.example", clientID: "client", subject: "\(number)")
        }
        for number in 0..<25 { try await PostgreSQLInstance.save(account(number), in: old) }
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_000.123456), generation: 1)
        try await old.update(account(3)) { try await $0.mark(mark) }
        try await self.server.sql("UPDATE \(self.schema).session SET record = '\\x00' WHERE subject = '7'")
        let store = try self.server.store(self.schema, key: Self.newKey, former: [PostgreSQLInstance.key])
        #expect(await PostgreSQLInstance.code { try await store.reseal(batch: 4) } == .corrupt)
        try await store.remove(account(7))
        #expect(try await store.reseal(batch: 4) == 0)
        let newKeyStore = try self.server.store(self.schema, key: Self.newKey)
        for account in try await newKeyStore.list() { #expect(try await newKeyStore.load(account)?.generation == 1) }
        #expect(try await newKeyStore.list().count == 24)
        #expect(try await newKeyStore.load(account(3))?.refreshMark == mark)
    }

    @Test("Resealing PostgreSQL records does not overwrite concurrent changes")
    func concurrently() async throws {
        let new = try self.server.store(self.schema, key: Self.newKey, former: [PostgreSQLInstance.key])
        let both = try self.server.store(self.schema, former: [Self.newKey])
        let saver = Task {
            for generation in 1...50 { try await PostgreSQLInstance.save(generation: Int64(generation), in: both) }
        }
        for _ in 0..<50 { _ = try await new.reseal() }
        try await saver.value
        _ = try await new.reseal()
        let newKeyStore = try self.server.store(self.schema, key: Self.newKey)
        #expect(try await newKeyStore.load(PostgreSQLInstance.ada)?.generation == 50)
    }

    @Test(
        "Reads and updates tables of an earlier version, including their refresh marks",
        .covers(119),
        arguments: [1, 2]
    )
    func formats(format: Int) async throws {
        let fixture = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().appendingPathComponent("Fixtures/format-\(format).sql")
        let mark = RefreshMark(begunAt: Date(timeIntervalSinceReferenceDate: 700_000_000.125), generation: 5)
        // The current format is 2, in which marks are sealed in the records.
        if format == 2, ProcessInfo.processInfo.environment["TESSERA_WRITE_FIXTURES"] == "1" {
            try await self.write(fixture, mark)
        }
        let text = try String(contentsOf: fixture, encoding: .utf8)
            .replacingOccurrences(of: "SCHEMA_NAME", with: self.schema)
        for statement in text.components(separatedBy: ";\n") where !statement.isEmpty {
            try await self.server.sql(statement)
        }
        let store = try self.server.store(self.schema)
        #expect(try await store.list() == [PostgreSQLInstance.ada, PostgreSQLInstance.bob])
        #expect(
            try await store.load(PostgreSQLInstance.ada)
                == .sample(for: PostgreSQLInstance.ada, generation: 3, size: 64)
        )
        var expected = try SessionRecord.sample(for: PostgreSQLInstance.bob, generation: 5, size: 64)
        expected.refreshMark = mark
        #expect(try await store.load(PostgreSQLInstance.bob) == expected)
        try await PostgreSQLInstance.save(generation: 4, in: store)
        #expect(try await store.load(PostgreSQLInstance.ada)?.generation == 4)
    }

    private func write(_ fixture: URL, _ mark: RefreshMark) async throws {
        let schema = PostgreSQLInstance.newSchema()
        let store = try self.server.store(schema)
        try await PostgreSQLInstance.save(generation: 3, in: store)
        try await PostgreSQLInstance.save(PostgreSQLInstance.bob, generation: 5, in: store)
        try await store.update(PostgreSQLInstance.bob) { try await $0.mark(mark) }
        var statements = [
            "CREATE SCHEMA SCHEMA_NAME",
            "CREATE TABLE SCHEMA_NAME.migration (version bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())",
        ]
        let tables = try PostgreSQLSchema(schema)
        statements += tables.migrations[0].map { $0.replacingOccurrences(of: tables.quoted, with: "SCHEMA_NAME") }
        statements.append("INSERT INTO SCHEMA_NAME.migration (version) VALUES (1)")
        let rows = try await self.server.sql(
            """
            SELECT format('INSERT INTO SCHEMA_NAME.session VALUES (%L, %L, %L, %L, %s, %L, %L, %s, %s, %L)', account, issuer,
                client, subject, generation, key_id, record, coalesce(mark_begun_at::text, 'NULL'),
                coalesce(mark_generation::text, 'NULL'), updated_at)
            FROM \(schema).session ORDER BY subject
            """
        )
        statements += rows.compactMap { $0.first?.text }
        try (statements.joined(separator: ";\n") + ";\n").write(to: fixture, atomically: true, encoding: .utf8)
    }
}
#endif
