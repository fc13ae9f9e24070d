// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import GRDB
internal import Tessera

/// The tables of the database, and their migrations.
///
/// A released migration must not be changed. Add another one instead.
enum Schema {
    /// The application ID in the file's header, "TESS" in ASCII.
    static let applicationID = 0x5445_5353

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 sessions") { database in
            // `account` is the SHA-256 of the issuer, client and subject. Only rows written by earlier versions use the
            // mark columns. They contain seconds since 2001, as an exact bit pattern, and the generation before the
            // refresh. Newer rows encrypt the mark with the record.
            try database.execute(
                sql: """
                    PRAGMA application_id = \(Self.applicationID);
                    CREATE TABLE session (
                        account BLOB NOT NULL PRIMARY KEY CHECK (typeof(account) = 'blob' AND length(account) = 32),
                        issuer TEXT NOT NULL CHECK (typeof(issuer) = 'text'),
                        client TEXT NOT NULL CHECK (typeof(client) = 'text'),
                        subject TEXT NOT NULL CHECK (typeof(subject) = 'text'),
                        generation INTEGER NOT NULL CHECK (typeof(generation) = 'integer'),
                        key_id BLOB NOT NULL CHECK (typeof(key_id) = 'blob'),
                        record BLOB NOT NULL CHECK (typeof(record) = 'blob'),
                        mark_begun_at REAL,
                        mark_generation INTEGER,
                        updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
                    );
                    CREATE INDEX session_key_id ON session (key_id);
                    CREATE TABLE probe (bytes BLOB NOT NULL);
                    """
            )
        }
        migrator.registerMigration("2 transients") { database in
            // `name` is a SHA-256, and `end_at` is in seconds since 1970.
            try database.execute(
                sql: """
                    CREATE TABLE transient (
                        name BLOB NOT NULL PRIMARY KEY CHECK (typeof(name) = 'blob' AND length(name) = 32),
                        content BLOB NOT NULL CHECK (typeof(content) = 'blob'),
                        end_at REAL NOT NULL
                    );
                    CREATE INDEX transient_end_at ON transient (end_at);
                    """
            )
        }
        return migrator
    }

    /// Checks a database before anything is written to it.
    ///
    /// - Throws: ``StoreError`` with the code `newerFormat` if a newer version has migrated it, or `unavailable` if it
    ///   belongs to another program.
    static func check(_ database: Database, location: String) throws {
        if try self.migrator.hasBeenSuperseded(database) {
            throw StoreError(.newerFormat, location: location, detail: "a newer version has migrated its tables")
        }
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id")
        // A process that was killed while creating the database may have left only the migrator's tables.
        let others = "SELECT count(*) FROM sqlite_master WHERE tbl_name NOT LIKE 'grdb%'"
        let tables = try Int.fetchOne(database, sql: others) ?? 0
        if application != Self.applicationID, tables > 0 {
            throw StoreError(.unavailable, location: location, detail: "it belongs to another program")
        }
    }
}
#endif
