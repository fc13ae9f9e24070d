// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import Foundation
internal import GRDB
internal import Tessera
internal import TesseraSQLite
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("An SQLite store whose database was changed")
struct SQLiteDamageTests {
    @Test(
        "A record with any one byte changed is damaged, never absent, and the error tells no secret",
        .covers(119, 124)
    )
    func flipped() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(in: store)
        let whole = try #require(try folder.meddle { try Data.fetchOne($0, sql: "SELECT record FROM session") })
        for index in whole.indices where index % 7 == 0 || index < 64 {
            var bytes = whole
            bytes[index] ^= 1 << (index % 8)
            try folder.meddle { try $0.execute(sql: "UPDATE session SET record = ?", arguments: [bytes]) }
            let error = await DatabaseFolder.error { try await store.load(DatabaseFolder.ada) }
            #expect(error?.code == .corrupt, "byte \(index)")
            #expect(error?.description.contains("sample-") != true)
        }
        try folder.meddle { try $0.execute(sql: "UPDATE session SET record = ?", arguments: [whole]) }
        #expect(try await store.load(DatabaseFolder.ada) == .sample(for: DatabaseFolder.ada, size: 64))
    }

    @Test("One account's record in another account's row is refused")
    func swapped() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(DatabaseFolder.ada, in: store)
        try await folder.save(DatabaseFolder.bob, in: store)
        let sql = "UPDATE session SET record = (SELECT record FROM session WHERE subject = 'ada')"
        try folder.meddle { try $0.execute(sql: sql) }
        #expect(try await store.load(DatabaseFolder.ada) != nil)
        #expect(await DatabaseFolder.code { try await store.load(DatabaseFolder.bob) } == .corrupt)
    }

    @Test(
        "A refresh mark in a row that was set or taken away behind the store's back is noticed",
        .covers(137),
        .shows(claims: 2)
    )
    func marks() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(in: store)
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_000), generation: 1)
        try await store.update(DatabaseFolder.ada) { try await $0.mark(mark) }
        let read = try folder.meddle { try Row.fetchOne($0, sql: "SELECT * FROM session") }
        let row = try #require(read)
        #expect(row["mark_begun_at"] == nil)
        #expect(row["mark_generation"] == nil)
        let whole = try #require(Data.fromDatabaseValue(row["record"]))
        for index in whole.indices.suffix(100) {
            var bytes = whole
            bytes[index] ^= 1
            try folder.meddle { try $0.execute(sql: "UPDATE session SET record = ?", arguments: [bytes]) }
            #expect(await DatabaseFolder.code { try await store.load(DatabaseFolder.ada) } == .corrupt, "byte \(index)")
        }
        try folder.meddle { try $0.execute(sql: "UPDATE session SET record = ?", arguments: [whole]) }
        #expect(try await store.load(DatabaseFolder.ada)?.refreshMark == mark)
        // The columns in which earlier versions kept it count for their rows alone.
        try folder.meddle { try $0.execute(sql: "UPDATE session SET mark_begun_at = 1, mark_generation = 1") }
        let error = await DatabaseFolder.error { try await store.load(DatabaseFolder.ada) }
        #expect(error?.code == .corrupt)
        #expect(error?.detail?.contains("refresh mark") == true)
        try await folder.save(generation: 2, in: store)
        #expect(try await store.load(DatabaseFolder.ada)?.generation == 2)
    }

    @Test("A generation that is not the record's is damage")
    func generation() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(in: store)
        try folder.meddle { try $0.execute(sql: "UPDATE session SET generation = 2") }
        #expect(await DatabaseFolder.code { try await store.load(DatabaseFolder.ada) } == .corrupt)
    }

    @Test("A row that names another account is not listed, and is an error where it is alone")
    func renamed() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(DatabaseFolder.ada, in: store)
        try await folder.save(DatabaseFolder.bob, in: store)
        try folder.meddle { try $0.execute(sql: "UPDATE session SET subject = 'eve' WHERE subject = 'bob'") }
        #expect(try await store.list() == [DatabaseFolder.ada])
        try await store.remove(DatabaseFolder.ada)
        #expect(await DatabaseFolder.code { try await store.list() } == .corrupt)
        try await store.remove(DatabaseFolder.bob)
        #expect(try await store.list().isEmpty)
    }

    @Test("A database of a newer version is left as it is, and said to be newer", .covers(119))
    func newer() async throws {
        let folder = try DatabaseFolder()
        try await folder.save(in: try folder.open())
        try folder.meddle { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('2 something later')") }
        let store = try folder.open()
        #expect(await DatabaseFolder.code { try await store.load(DatabaseFolder.ada) } == .newerFormat)
        #expect(await DatabaseFolder.code { try await store.list() } == .newerFormat)
        #expect(await DatabaseFolder.code { try await store.probe() } == .newerFormat)
        #expect(await DatabaseFolder.code { try await folder.save(generation: 2, in: store) } == .newerFormat)
    }

    @Test("A file that is no database is damaged, and another program's database is not touched")
    func foreign() async throws {
        let folder = try DatabaseFolder()
        try Data(repeating: 65, count: 8192).write(to: URL(fileURLWithPath: folder.database))
        #expect(await DatabaseFolder.code { try await folder.open().load(DatabaseFolder.ada) } == .corrupt)
        try FileManager.default.removeItem(atPath: folder.database)
        try folder.meddle { try $0.execute(sql: "CREATE TABLE theirs (name TEXT)") }
        #expect(await DatabaseFolder.code { try await folder.open().probe() } == .unavailable)
        let tables = try folder.meddle { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") }
        #expect(tables == ["theirs"])
    }

    @Test("A directory in which others may write, and a link in place of the database, are refused")
    func places() async throws {
        let folder = try DatabaseFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        #expect(await DatabaseFolder.code { try await folder.open().probe() } == .permissionDenied)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        try FileManager.default.createSymbolicLink(atPath: folder.database, withDestinationPath: folder.path + "/other")
        #expect(await DatabaseFolder.code { try await folder.open().probe() } == .unavailable)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/other"))
    }

    @Test("Where there is no database, reading finds nothing and makes nothing")
    func absent() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        #expect(try await store.load(DatabaseFolder.ada) == nil)
        #expect(try await store.list().isEmpty)
        try await store.remove(DatabaseFolder.ada)
        #expect(try await store.reseal() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    /// Only root may give files away.
    @Test("A database of another user is refused, and its owner is named", .covers(149), .enabled(if: geteuid() == 0))
    func owner() async throws {
        let folder = try DatabaseFolder()
        try await folder.open().update(DatabaseFolder.ada) { try await $0.save(try .sample(for: DatabaseFolder.ada)) }
        #expect(chown(folder.database, 65_534, 65_534) == 0)
        await #expect {
            try await folder.open().load(DatabaseFolder.ada)
        } throws: {
            StoreError.Code.otherOwner ~= $0 && "\($0)".contains("(uid 65534), and this process runs as root (uid 0)")
        }
        #expect(chown(folder.database, 0, 0) == 0)
        #expect(try await folder.open().load(DatabaseFolder.ada) != nil)
    }

    @Test("The database and what lies beside it have mode 0600, also where they had another")
    func modes() async throws {
        let folder = try DatabaseFolder()
        func modes() throws -> Set<Int> {
            Set(
                try FileManager.default.contentsOfDirectory(atPath: folder.path)
                    .map { name in
                        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
                        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
                    }
            )
        }
        let store = try folder.open()
        try await store.update(DatabaseFolder.ada) { entry in
            try await entry.save(try .sample(for: DatabaseFolder.ada))
            try await entry.mark(RefreshMark(begunAt: Date(timeIntervalSince1970: 1), generation: 1))
        }
        #expect(try modes() == [0o600])
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix("lock") {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path + "/" + name)
        }
        try await folder.open().probe()
        #expect(try modes().isSubset(of: [0o600, 0o644]))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.database)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
}
#endif
