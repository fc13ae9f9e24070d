// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import Tessera
internal import TesseraSQLite
internal import TesseraTesting
internal import Testing

@Suite("Backup exclusion of the database in an app's container")
struct SQLiteBackupTests {
    @Test("Excludes the database and its companion files in a directory included in backups")
    func excluded() async throws {
        let folder = try DatabaseFolder()
        let excluded = ExcludedPaths(below: folder.path)
        defer { excluded.end() }
        try await folder.save()
        #expect(Set(excluded.paths).isSuperset(of: ["", "-wal", "-shm"].map { "sessions.sqlite" + $0 }))
        #expect(!excluded.paths.contains(""))
    }
}
#endif
