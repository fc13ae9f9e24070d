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

@Suite("SQLite store with a modified database")
struct SQLiteDamageTests {
    @Test(
        "Reports a record with one changed byte as damaged, without secrets in the error",
        .covers(119, 124)
    )
    func flipped() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(in: store)
        let original = try #require(try folder.modify { try Data.fetchOne($0, sql: "SELECT record FROM session") })
        for index in original.indices where index % 7 == 0 || index < 64 {
            var bytes = original
            bytes[index] ^= 1 << (index % 8)
            try folder.modify { try $0.execute(sql: "UPDATE session SET record = ?", arguments: [bytes]) }
            let error = await DatabaseFolder.error { try await store.load(DatabaseFolder.ada) }
            #expect(error?.code == .corrupt, "byte \(index)")
            #expect(error?.description.contains("sample-") != true)
        }
        try folder.modify { try $0.execute(sql: "UPDATE session SET record = ?", arguments: [original]) }
        #expect(try await store.load(DatabaseFolder.ada) == .sample(for: DatabaseFolder.ada, size: 64))
    }

    @Test("Rejects one account's record in another account's row")
    func swapped() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(DatabaseFolder.ada, in: store)
        try await folder.save(DatabaseFolder.bob, in: store)
        let sql = "UPDATE session SET record = (SELECT record FROM session WHERE subject = 'ada')"
        try folder.modify { try $0.execute(sql: sql) }
        #expect(try await store.load(DatabaseFolder.ada) != nil)
        #expect(await DatabaseFolder.code { try await store.load(DatabaseFolder.bob) } == .corrupt)
    }

    @Test(
        "Detects a refresh mark that another program added to or removed from an SQLite row",
        .covers(137),
        .shows(claims: 2)
    )
    func marks() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(in: store)
        let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_700_000_000), generation: 1)
        try await store.update(DatabaseFolder.ada) { try await $0.mark(mark) }
        let read = try folder.modify { try Row.fetchOne($0, sql: "SELECT * FROM session") }
        let row = try #require(read)
        #expect(row["mark_begun_at"] == nil)
        #expect(row["mark_generation"] == nil)
        let original = try #require(Data.fromDatabaseValue(row["record"]))
        for index in original.indices.suffix(100) {
            var bytes = original
            bytes[index] ^= 1
            try folder.modify { try $0.execute(sql: "UPDATE session SET record = ?", arguments: [bytes]) }
            #expect(await DatabaseFolder.code { try await store.load(DatabaseFolder.ada) } == .corrupt, "byte \(index)")
        }
        try folder.modify { try $0.execute(sql: "UPDATE session SET record = ?", arguments: [original]) }
        #expect(try await store.load(DatabaseFolder.ada)?.refreshMark == mark)
        // The columns in which earlier versions stored the mark apply only to rows of those versions.
        try folder.modify { try $0.execute(sql: "UPDATE session SET mark_begun_at = 1, mark_generation = 1") }
        let error = await DatabaseFolder.error { try await store.load(DatabaseFolder.ada) }
        #expect(error?.code == .corrupt)
        #expect(error?.detail?.contains("refresh mark") == true)
        try await folder.save(generation: 2, in: store)
        #expect(try await store.load(DatabaseFolder.ada)?.generation == 2)
    }

    @Test("Reports a generation that differs from the record's as damage")
    func generation() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(in: store)
        try folder.modify { try $0.execute(sql: "UPDATE session SET generation = 2") }
        #expect(await DatabaseFolder.code { try await store.load(DatabaseFolder.ada) } == .corrupt)
    }

    @Test("Omits a row with a changed account from the list and reports it if no other row exists")
    func renamed() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        try await folder.save(DatabaseFolder.ada, in: store)
        try await folder.save(DatabaseFolder.bob, in: store)
        try folder.modify { try $0.execute(sql: "UPDATE session SET subject = 'eve' WHERE subject = 'bob'") }
        #expect(try await store.list() == [DatabaseFolder.ada])
        try await store.remove(DatabaseFolder.ada)
        #expect(await DatabaseFolder.code { try await store.list() } == .corrupt)
        try await store.remove(DatabaseFolder.bob)
        #expect(try await store.list().isEmpty)
    }

    @Test("Leaves a database of a newer version unchanged and reports it as newer", .covers(119))
    func newer() async throws {
        let folder = try DatabaseFolder()
        try await folder.save(in: try folder.open())
        try folder.modify { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('2 something later')") }
        let store = try folder.open()
        #expect(await DatabaseFolder.code { try await store.load(DatabaseFolder.ada) } == .newerFormat)
        #expect(await DatabaseFolder.code { try await store.list() } == .newerFormat)
        #expect(await DatabaseFolder.code { try await store.probe() } == .newerFormat)
        #expect(await DatabaseFolder.code { try await folder.save(generation: 2, in: store) } == .newerFormat)
    }

    @Test("Reports a file that is not a database as damaged and leaves another program's database unchanged")
    func foreign() async throws {
        let folder = try DatabaseFolder()
        try Data(repeating: 65, count: 8192).write(to: URL(fileURLWithPath: folder.database))
        #expect(await DatabaseFolder.code { try await folder.open().load(DatabaseFolder.ada) } == .corrupt)
        try FileManager.default.removeItem(atPath: folder.database)
        try folder.modify { try $0.execute(sql: "CREATE TABLE theirs (name TEXT)") }
        #expect(await DatabaseFolder.code { try await folder.open().probe() } == .unavailable)
        let tables = try folder.modify { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") }
        #expect(tables == ["theirs"])
    }

    @Test("Rejects a directory that other users can write to, and a symbolic link in place of the database")
    func places() async throws {
        let folder = try DatabaseFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        #expect(await DatabaseFolder.code { try await folder.open().probe() } == .permissionDenied)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        try FileManager.default.createSymbolicLink(atPath: folder.database, withDestinationPath: folder.path + "/other")
        #expect(await DatabaseFolder.code { try await folder.open().probe() } == .unavailable)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/other"))
    }

    @Test("Reading without a database finds nothing and creates nothing")
    func absent() async throws {
        let folder = try DatabaseFolder()
        let store = try folder.open()
        #expect(try await store.load(DatabaseFolder.ada) == nil)
        #expect(try await store.list().isEmpty)
        try await store.remove(DatabaseFolder.ada)
        #expect(try await store.reseal() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    /// Only root can change the owner of a file.
    @Test("Rejects a database of another user and names its owner", .covers(149), .enabled(if: geteuid() == 0))
    func owner() async throws {
        let folder = try DatabaseFolder()
        try await folder.open().update(DatabaseFolder.ada) { try await $0.save(try .sample(for: DatabaseFolder.ada)) }
        #expect(chown(folder.database, 65_534, 65_534) == 0)
        await #expect {
            try await folder.open().load(DatabaseFolder.ada)
        } throws: {
            StoreError.Code.otherOwner ~= $0
                && "\($0)".contains("(uid 65534), and this process is running as root (uid 0)")
        }
        #expect(chown(folder.database, 0, 0) == 0)
        #expect(try await folder.open().load(DatabaseFolder.ada) != nil)
    }

    @Test("Creates the database and its companion files with mode 0600 and restores the database's mode")
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
