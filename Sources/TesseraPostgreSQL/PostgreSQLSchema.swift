// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera

/// The schema of a store's tables, and its migrations.
///
/// A released migration must not be changed. Add another one instead.
struct PostgreSQLSchema: Sendable {
    let name: String
    let quoted: String
    let statements: Statements

    /// - Throws: ``StoreError`` with the code `unavailable` for a name that PostgreSQL would truncate or reject.
    init(_ name: String) throws {
        guard !name.isEmpty, name.utf8.count <= 63, !name.utf8.contains(0) else {
            throw StoreError(
                .unavailable,
                location: "postgresql:",
                detail: "a schema name must have 1 to 63 bytes"
            )
        }
        self.name = name
        self.quoted =
            "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        self.statements = Statements(schema: self.quoted)
    }

    var migrations: [[String]] {
        [
            [
                // `account` is the SHA-256 of the issuer, client and subject. Only rows written by earlier versions use
                // the mark columns. They contain seconds since 2001, as an exact bit pattern, and the generation before
                // the refresh. Newer rows encrypt the mark with the record.
                """
                CREATE TABLE \(self.quoted).session (
                    account bytea PRIMARY KEY CHECK (octet_length(account) = 32),
                    issuer text NOT NULL,
                    client text NOT NULL,
                    subject text NOT NULL,
                    generation bigint NOT NULL,
                    key_id bytea NOT NULL,
                    record bytea NOT NULL,
                    mark_begun_at double precision,
                    mark_generation bigint,
                    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
                )
                """,
                // Encrypted data cannot be compressed.
                "ALTER TABLE \(self.quoted).session ALTER COLUMN record SET STORAGE EXTERNAL",
                "CREATE INDEX session_key_id ON \(self.quoted).session (key_id)",
                // A lease identifies the owner of a running update and when the lease expires.
                """
                CREATE TABLE \(self.quoted).lease (
                    account bytea PRIMARY KEY CHECK (octet_length(account) = 32),
                    owner uuid NOT NULL,
                    until timestamptz NOT NULL
                )
                """,
            ],
            [
                // `name` is a SHA-256, and `end_at` is in seconds since 1970.
                """
                CREATE TABLE \(self.quoted).transient (
                    name bytea PRIMARY KEY CHECK (octet_length(name) = 32),
                    content bytea NOT NULL,
                    end_at double precision NOT NULL
                )
                """,
                "CREATE INDEX transient_end_at ON \(self.quoted).transient (end_at)",
            ],
        ]
    }

    /// Updates the tables to the current version.
    ///
    /// If several processes start at the same time, one migrates while the others wait.
    ///
    /// - Throws: ``StoreError`` with the code `newerFormat`, without any change, if a newer version has migrated the
    ///   tables.
    func migrate(_ link: inout PostgreSQLLink) throws {
        if try self.isCurrent(&link) { return }
        try link.transaction { link in
            let lock = SQLStatement("SELECT pg_advisory_xact_lock(hashtextextended($1::text, 6075130721886753107))")
            _ = try link.run(lock, [SQLValue(self.name)])
            if try !self.isCurrent(&link) { try self.apply(&link) }
        }
    }

    private func apply(_ link: inout PostgreSQLLink) throws {
        let version = try self.version(&link)
        if version == nil {
            // A role that cannot create schemas can use an existing one.
            let known = SQLStatement("SELECT true FROM pg_namespace WHERE nspname = $1::name")
            if try link.run(known, [SQLValue(self.name)]).isEmpty {
                _ = try link.run(SQLStatement("CREATE SCHEMA \(self.quoted)"))
            }
            _ = try link.run(
                SQLStatement(
                    """
                    CREATE TABLE \(self.quoted).migration (
                        version bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
                    )
                    """
                )
            )
        }
        for (index, sentences) in self.migrations.enumerated() where index >= version ?? 0 {
            for sentence in sentences { _ = try link.run(SQLStatement(sentence)) }
            let note = SQLStatement("INSERT INTO \(self.quoted).migration (version) VALUES ($1::int8)")
            _ = try link.run(note, [SQLValue(Int64(index + 1))])
        }
    }

    private func isCurrent(_ link: inout PostgreSQLLink) throws -> Bool {
        guard let version = try self.version(&link) else { return false }
        guard version <= self.migrations.count else {
            throw StoreError(
                .newerFormat,
                location: link.address.location,
                detail: "its tables have version \(version), and this version supports \(self.migrations.count)"
            )
        }
        return version == self.migrations.count
    }

    /// Returns the number of the last migration, or nil if the migration table does not exist.
    private func version(_ link: inout PostgreSQLLink) throws -> Int64? {
        let table = SQLStatement(
            """
            SELECT true FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE relname = 'migration' AND nspname = $1::name
            """
        )
        guard try !link.run(table, [SQLValue(self.name)]).isEmpty else { return nil }
        let rows = try link.run(SQLStatement("SELECT coalesce(max(version), 0) FROM \(self.quoted).migration"))
        return rows.first?.first?.integer
    }
}
#endif
