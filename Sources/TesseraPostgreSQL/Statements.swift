// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraSupport

/// A store's SQL statements for one schema.
///
/// In all statements, `$1` is the account and `$2` is the lease's owner. A statement that writes under a lease also
/// renews it in the same transaction. If another process has acquired the lease, no row has this owner, so nothing is
/// written. The lease cannot be acquired while the statement is running.
struct Statements: Sendable {
    /// Acquires the lease, or returns no row if another process holds it.
    ///
    /// Waiting for the lease only involves reads and does not lock any row.
    let take: SQLStatement
    let renew: SQLStatement
    let release: SQLStatement
    let load: SQLStatement
    let list: SQLStatement
    /// Saves the record, and returns whether this process held the lease and whether the row was written.
    let save: SQLStatement
    let mark: SQLStatement
    let remove: SQLStatement
    let anyRecord: SQLStatement
    let keyID: SQLStatement
    let insertProbe: SQLStatement
    let readProbe: SQLStatement
    let removeProbe: SQLStatement
    /// Selects the records that are not encrypted with the current key.
    let others: SQLStatement
    let reseal: SQLStatement
    let saveTransient: SQLStatement
    let loadTransient: SQLStatement
    let takeTransient: SQLStatement
    let deleteExpiredTransients: SQLStatement

    /// - Parameter schema: The quoted name of the schema.
    init(schema: String) {
        // After the server starts, leases that expired while it was down are extended briefly. A holder may need to
        // save tokens that the provider does not issue again.
        func end(_ column: String) -> String {
            "greatest(\(column), pg_postmaster_start_time() + interval '5 seconds')"
        }
        let until = "clock_timestamp() + $3::int8::float8 * interval '1 millisecond'"
        let held = """
            WITH held AS (
                UPDATE \(schema).lease SET until = \(until) WHERE account = $1::bytea AND owner = $2::uuid RETURNING account
            )
            """
        self.take = SQLStatement(
            """
            INSERT INTO \(schema).lease AS held (account, owner, until)
            SELECT $1::bytea, $2::uuid, \(until) WHERE NOT EXISTS (
                SELECT FROM \(schema).lease
                WHERE account = $1::bytea AND owner <> $2::uuid AND \(end("until")) >= clock_timestamp()
            )
            ON CONFLICT (account) DO UPDATE SET owner = excluded.owner, until = excluded.until
            WHERE \(end("held.until")) < clock_timestamp() OR held.owner = excluded.owner
            RETURNING true
            """,
            name: "tessera_take"
        )
        self.renew = SQLStatement(
            "\(held) SELECT true FROM held",
            name: "tessera_renew"
        )
        self.release = SQLStatement(
            "DELETE FROM \(schema).lease WHERE account = $1::bytea AND owner = $2::uuid",
            name: "tessera_release"
        )
        self.load = SQLStatement(
            "SELECT generation, record, mark_begun_at, mark_generation FROM \(schema).session WHERE account = $1::bytea",
            name: "tessera_load"
        )
        self.list = SQLStatement("SELECT account, issuer, client, subject FROM \(schema).session")
        self.save = SQLStatement(
            """
            \(held), saved AS (
                INSERT INTO \(schema).session AS kept
                    (account, issuer, client, subject, generation, key_id, record)
                SELECT account, $4::text, $5::text, $6::text, $7::int8, $8::bytea, $9::bytea FROM held
                ON CONFLICT (account) DO UPDATE SET
                    issuer = excluded.issuer, client = excluded.client, subject = excluded.subject,
                    generation = excluded.generation, key_id = excluded.key_id, record = excluded.record,
                    mark_begun_at = NULL, mark_generation = NULL, updated_at = clock_timestamp()
                WHERE encode(kept.key_id, 'hex') = ANY (string_to_array($10::text, ','))
                    AND ($11::int8 IS NULL OR kept.generation = $11::int8 OR kept.generation = excluded.generation)
                RETURNING true
            )
            SELECT EXISTS (SELECT FROM held), EXISTS (SELECT FROM saved)
            """,
            name: "tessera_save"
        )
        self.mark = SQLStatement(
            """
            \(held), marked AS (
                UPDATE \(schema).session AS kept
                SET key_id = $4::bytea, record = $5::bytea, mark_begun_at = NULL, mark_generation = NULL
                FROM held WHERE kept.account = held.account AND kept.generation = $6::int8 RETURNING true
            )
            SELECT EXISTS (SELECT FROM held), EXISTS (SELECT FROM marked)
            """,
            name: "tessera_mark"
        )
        self.remove = SQLStatement(
            """
            \(held), removed AS (
                DELETE FROM \(schema).session AS kept USING held WHERE kept.account = held.account RETURNING true
            )
            SELECT EXISTS (SELECT FROM held), EXISTS (SELECT FROM removed)
            """,
            name: "tessera_remove"
        )
        self.anyRecord = SQLStatement("SELECT EXISTS (SELECT FROM \(schema).session)")
        self.keyID = SQLStatement("SELECT key_id FROM \(schema).session WHERE account = $1::bytea")
        self.insertProbe = SQLStatement(
            """
            INSERT INTO \(schema).session (account, issuer, client, subject, generation, key_id, record)
            VALUES ($1::bytea, '', '', '', 0, '', $2::bytea)
            """
        )
        self.readProbe = SQLStatement("SELECT record FROM \(schema).session WHERE account = $1::bytea")
        self.removeProbe = SQLStatement("DELETE FROM \(schema).session WHERE account = $1::bytea")
        self.others = SQLStatement(
            """
            SELECT account, issuer, client, subject, generation, record FROM \(schema).session
            WHERE key_id <> $1::bytea AND account > $2::bytea ORDER BY account LIMIT $3::int8
            """
        )
        self.reseal = SQLStatement(
            """
            UPDATE \(schema).session SET record = $3::bytea, key_id = $4::bytea
            WHERE account = $1::bytea AND record = $2::bytea RETURNING true
            """
        )
        self.saveTransient = SQLStatement(
            """
            INSERT INTO \(schema).transient (name, content, end_at) VALUES ($1::bytea, $2::bytea, $3::float8)
            ON CONFLICT (name) DO UPDATE SET content = excluded.content, end_at = excluded.end_at
            """,
            name: "tessera_keep_transient"
        )
        self.loadTransient = SQLStatement(
            "SELECT content FROM \(schema).transient WHERE name = $1::bytea",
            name: "tessera_load_transient"
        )
        self.takeTransient = SQLStatement(
            "DELETE FROM \(schema).transient WHERE name = $1::bytea RETURNING content",
            name: "tessera_take_transient"
        )
        // A statement that takes longer than its time limit would never remove anything.
        self.deleteExpiredTransients = SQLStatement(
            """
            DELETE FROM \(schema).transient WHERE name IN (
                SELECT name FROM \(schema).transient WHERE end_at < $1::float8 LIMIT 1000 FOR UPDATE SKIP LOCKED
            )
            """
        )
    }

    static let begin = SQLStatement("BEGIN")
    static let commit = SQLStatement("COMMIT")
    static let rollback = SQLStatement("ROLLBACK")
}

/// A server that a simulation provides.
package protocol SQLServer: Sendable {
    /// Runs a statement and returns its rows.
    ///
    /// - Throws: Any error if it is unknown whether the statement was executed.
    func run(_ statement: SQLStatement, _ values: [SQLValue]) throws -> [[SQLValue]]
}

/// An SQL statement, which has a name if it should be prepared.
package struct SQLStatement: Sendable {
    package let name: String?
    package let sql: String

    init(_ sql: String, name: String? = nil) {
        self.sql = sql
        self.name = name
    }
}

/// A parameter or field in PostgreSQL's binary format.
package struct SQLValue: Sendable {
    /// The encoded value, or nil for NULL.
    package let bytes: [UInt8]?

    package init(_ bytes: [UInt8]?) { self.bytes = bytes }
    package init(_ text: String) { self.bytes = Array(text.utf8) }
    package init(_ number: Int64?) { self.bytes = number.map { BigEndian.bytes(of: $0) } }
    init(_ number: Double?) { self.bytes = number.map { BigEndian.bytes(of: $0.bitPattern) } }

    package var text: String? { self.bytes.flatMap { String(wellFormedUTF8: $0) } }
    var isTrue: Bool { self.bytes == [1] }
    package var integer: Int64? {
        guard let bytes, bytes.count == 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
    var double: Double? { self.integer.map { Double(bitPattern: UInt64(bitPattern: $0)) } }
}
#endif
