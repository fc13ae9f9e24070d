// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import GRDB
internal import Tessera

/// The database's tables, and how older ones become today's.
///
/// A migration that was released is never changed: the next one changes what it made.
enum Schema {
    /// What SQLite keeps in the file's header for us: «TESS».
    static let applicationID = 0x5445_5353

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 sessions") { database in
            // `account` is the SHA-256 of issuer, client and subject. The mark columns are for rows that earlier versions
            // wrote: seconds since 2001, to the bit, and the generation that a refresh began from. Newer rows have the
            // mark sealed in the record.
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
            // `name` is a SHA-256; `end_at` is in seconds since 1970.
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

    /// Looks at a database before anything is written to it.
    ///
    /// - Throws: ``StoreError`` `newerFormat` where a newer version was; `unavailable` where another program was.
    static func check(_ database: Database, place: String) throws {
        if try self.migrator.hasBeenSuperseded(database) {
            throw StoreError(.newerFormat, place: place, detail: "its tables are those of a newer version")
        }
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id")
        // The migrator's own tables come first: whoever was killed then left nothing else.
        let others = "SELECT count(*) FROM sqlite_master WHERE tbl_name NOT LIKE 'grdb%'"
        let tables = try Int.fetchOne(database, sql: others) ?? 0
        if application != Self.applicationID, tables > 0 {
            throw StoreError(.unavailable, place: place, detail: "it is another program's database")
        }
    }
}
#endif
