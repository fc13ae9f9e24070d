// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import Tessera
internal import TesseraSQLite
internal import TesseraTesting
internal import Testing

@Suite("The database of an app's container and its backups")
struct SQLiteBackupTests {
    @Test("The database and its companions are excluded in a directory that backups include")
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
