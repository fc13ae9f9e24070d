// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Tessera
public import TesseraOAuth
public import TesseraStores
internal import TesseraSupport

/// Keeps sessions in PostgreSQL, for any number of processes on any number of machines.
///
/// Records are sealed with AES-256-GCM, together with their refresh marks, before they reach the server. Issuer, client,
/// subject, generation, and when a record was last written are next to them in plaintext. Anyone who reads the database,
/// or a copy of it, without the key gets no token. A changed record or mark is noticed; an older row that was put back is
/// not.
///
/// An update takes a lease on the account in one short transaction, and each save is another: between them nothing is
/// held on the server, neither a connection nor a lock. A lease is renewed while its update runs, and runs out by itself
/// when its process dies. A save whose connection is lost, or whose server restarts, is tried again for ten minutes, or
/// for the lease if that is longer. If another process changed the account meanwhile, nothing is overwritten, and the
/// error is `leaseLost`.
///
/// Reading is one statement and waits for nobody. Tables are made at first use; of many processes that start together
/// one makes them. libpq, version 13 or later, reads the address, so its parameters for TLS, its service and password
/// files, and its environment variables hold; nothing blocks a cooperative thread.
///
/// A server on another machine has to prove by its certificate that it is the one that is named (`sslmode=verify-full`),
/// unless the address, the environment or the service file names another mode. Where the mode does not verify the
/// server, it has to use SCRAM, unless `require_auth` says otherwise. A server that does not is told no password, and
/// the error is `unverifiedServer`. With libpq 13 to 15, which does not know `require_auth`, SCRAM has to be bound to the
/// server's TLS certificate, unless `channel_binding` is named.
///
/// - SeeAlso: [libpq: Connection Strings](https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING)
public final class PostgreSQLStore: SessionStore {
    let tables: SessionTables
    private let lockTimeout: Duration
    private let turns = AccountTurns()

    /// A store at a server; nothing is sent before the store is used.
    ///
    /// - Parameters:
    ///   - address: `postgresql://user:password@host:port/database?sslmode=verify-full`, or what else libpq reads.
    ///   - keys: what seals the records, and what sealed older ones; the same in every process.
    ///   - schema: the schema that holds the tables; made where it is missing.
    ///   - connections: how many connections there are at most; each is opened when it is needed.
    ///   - leaseDuration: how long the account of a process that died stays locked; at least a second. The address
    ///     overrides it with `tessera_lease`, a number of seconds from 5 to 3600.
    ///   - statementTimeout: how long the server may work on a statement, and how long a connection may take.
    ///   - lockTimeout: how long an update may wait for others, in every process, before it fails with `busy`.
    ///   - clock: what waits.
    /// - Throws: `StoreError` `unavailable` for an address that cannot be read.
    public convenience init(
        _ address: Secret,
        keys: StoreKeys,
        schema: String = "tessera",
        connections: Int = 4,
        leaseDuration: Duration = .seconds(30),
        statementTimeout: Duration = .seconds(10),
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws {
        try self.init(
            address,
            .given(keys),
            schema,
            connections,
            leaseDuration,
            statementTimeout,
            lockTimeout,
            clock
        )
    }

    /// A store at a server, sealed with the user's key file: every machine needs a copy of it.
    ///
    /// - Parameters:
    ///   - address: as above.
    ///   - keyDirectory: where the key lies, which is made at first use where there are no records; nil for
    ///     `$XDG_CONFIG_HOME/tessera/keys`, or `~/.config/tessera/keys`, and on Apple platforms for `tessera/keys` in
    ///     `Library/Application Support`.
    ///   - schema: as above.
    /// - Throws: `StoreError` `unavailable` for an address that cannot be read.
    public convenience init(
        _ address: Secret,
        keyDirectory: String? = nil,
        schema: String = "tessera"
    ) throws {
        try self.init(address, .keyFile(in: keyDirectory), schema)
    }

    private init(
        _ address: Secret,
        _ keys: StoreKeySource,
        _ schema: String,
        _ connections: Int = 4,
        _ leaseDuration: Duration = .seconds(30),
        _ statementTimeout: Duration = .seconds(10),
        _ lockTimeout: Duration = .seconds(60),
        _ clock: any Clock<Duration> = ContinuousClock()
    ) throws {
        let schema = try PostgreSQLSchema(schema)
        let address = try PostgreSQLAddress(parsing: address)
        let settings = SessionSettings(statementTimeout: statementTimeout)
        let pool = PostgreSQLPool(address, size: connections, timeout: statementTimeout) { link in
            try settings.apply(&link)
            try schema.migrate(&link)
        }
        self.tables = SessionTables(
            pool: pool,
            statements: schema.statements,
            keys: keys,
            place: address.place,
            clock: clock,
            leaseDuration: address.leaseDuration ?? max(.seconds(1), leaseDuration)
        )
        self.lockTimeout = lockTimeout
    }

    /// The record of an account as it was last saved, nil where there is none.
    ///
    /// Takes no lease: a `refreshMark` may be that of a refresh which runs at this moment.
    public func load(_ account: Account) async throws -> SessionRecord? {
        let key = AccountKey(account)
        let rows = try await self.tables.pool.rows(self.tables.statements.load, [SQLValue(key.bytes)])
        return try await self.tables.open(rows.first, of: key)
    }

    /// Every account that has a record, ordered by issuer, client and subject.
    ///
    /// Takes no lease and needs no key.
    public func list() async throws -> [Account] { try await self.tables.accounts() }

    /// Removes an account's record, even one that cannot be read.
    ///
    /// Waits for an update of it to end.
    public func remove(_ account: Account) async throws {
        try await self.update(account) { try await $0.remove() }
    }

    /// Runs `body` while nobody else updates this account, on any machine.
    ///
    /// - Throws: `StoreError` `busy` when the lease cannot be had in time, `unreachable`, `leaseLost`, …; what `body`
    ///   throws; `CancellationError` when the task is cancelled before its turn.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        let key = AccountKey(account)
        let clock = self.tables.clock
        let patience = Patience(clock, for: self.lockTimeout)
        let busy = StoreError(.busy, place: self.tables.place)
        try await self.turns.take(key, within: self.lockTimeout, clock: clock, expired: busy)
        defer { self.turns.pass(key) }
        let lease = try await Lease.take(key, in: self.tables, patience)
        let keeping = Task { await lease.keep() }
        let tenure = Tenure()
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body(Self.entry(lease, tenure))) } catch { outcome = .failure(error) }
        tenure.end()
        keeping.cancel()
        await keeping.value
        await lease.release()
        return try outcome.get()
    }

    /// Writes something of a session's size, reads it back and removes it, in one transaction that nobody else sees.
    public func probe() async throws {
        let patience = self.tables.restartPatience()
        _ = try await self.tables.keysForWriting { patience }
        let (statements, place) = (self.tables.statements, self.tables.place)
        let account = SQLValue((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        let bytes = (0..<8192).map { _ in UInt8.random(in: .min ... .max) }
        try await self.tables.pool.run { link in
            _ = try link.run(Statements.begin)
            do {
                _ = try link.run(statements.insertProbe, [account, SQLValue(bytes)])
                guard try link.run(statements.readProbe, [account]).first?.first?.bytes == bytes else {
                    throw StoreError(.notKept, place: place)
                }
                _ = try link.run(statements.removeProbe, [account])
                _ = try link.run(Statements.commit)
            } catch {
                _ = try? link.run(Statements.rollback)
                throw error
            }
        }
    }

    private static func entry(_ lease: Lease, _ tenure: Tenure) -> SessionStoreEntry {
        SessionStoreEntry(
            load: {
                try tenure.check()
                return try await lease.load()
            },
            mark: { mark in
                try tenure.check()
                try await lease.mark(mark)
            },
            save: { record in
                try tenure.check()
                try await lease.save(record)
            },
            remove: {
                try tenure.check()
                try await lease.remove()
            }
        )
    }
}

extension PostgreSQLStore {
    /// Seals with the current key every record that a former one sealed, while programs go on.
    ///
    /// A record that is saved meanwhile stays as it was saved. To change a key: give every program the new key as a
    /// former one, then make it the current one, call this once, and then drop the old key.
    ///
    /// - Parameter batch: how many records are read at a time, at least one.
    /// - Returns: how many records were sealed anew.
    /// - Throws: `StoreError` of the first record that cannot be opened, after all the others; `unreachable`.
    public func reseal(batch: Int = 100) async throws -> Int {
        let patience = self.tables.restartPatience()
        let keys = try await self.tables.keysForWriting { patience }
        var moved = 0
        var last: [UInt8] = []
        var failure: StoreError?
        while true {
            let rows = try await self.tables.pool.rows(
                self.tables.statements.others,
                [SQLValue(keys.current.id), SQLValue(last), SQLValue(Int64(max(1, batch)))]
            )
            for row in rows {
                do {
                    if try await self.reseal(row, keys) { moved += 1 }
                } catch let error as StoreError where error.code != .unreachable {
                    failure = failure ?? error
                }
            }
            guard let next = rows.last?.first?.bytes else { break }
            last = next
        }
        if let failure { throw failure }
        return moved
    }

    private func reseal(_ row: [SQLValue], _ keys: StoreKeys) async throws -> Bool {
        let place = self.tables.place
        guard let generation = row[4].integer, let record = row[5].bytes else {
            throw SealedRecord.damaged(place, "its row holds what cannot be")
        }
        let account = Account(issuer: row[1].text ?? "", clientID: row[2].text ?? "", subject: row[3].text ?? "")
        let stored = StoredRow(account: AccountKey(account), generation: generation, record: record, mark: nil)
        let sealed = try stored.resealed(with: keys, of: self.tables.keys.place, place: place)
        // The bytes tell whether it is still the record that was read: a generation can be saved twice.
        let rows = try await self.tables.pool.rows(
            self.tables.statements.reseal,
            [row[0], SQLValue(record), SQLValue(sealed), SQLValue(keys.current.id)]
        )
        return !rows.isEmpty
    }
}

/// What is taken is deleted in the same statement: of all processes one gets it.
extension PostgreSQLStore: TransientStore {
    /// Keeps something until a time, for every process; what has come to its end is deleted.
    public func keep(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws {
        let tables = self.tables
        let keys = try await tables.keysForWriting { tables.restartPatience() }
        let sealed = try SealedTransient.seal(content, as: name, until: end, with: keys, place: tables.place)
        _ = try await tables.pool.rows(
            tables.statements.keepTransient,
            [SQLValue(SealedTransient.digest(of: name)), SQLValue(sealed), SQLValue(end.timeIntervalSince1970)]
        )
        _ = try await tables.pool.rows(tables.statements.sweepTransients, [SQLValue(now.timeIntervalSince1970)])
    }

    /// What has that name and has not come to its end.
    public func content(of name: String, now: Date) async throws -> [UInt8]? {
        try await self.transient(self.tables.statements.loadTransient, name, now)
    }

    /// The same, and removes it.
    public func take(_ name: String, now: Date) async throws -> [UInt8]? {
        try await self.transient(self.tables.statements.takeTransient, name, now)
    }

    private func transient(_ statement: SQLStatement, _ name: String, _ now: Date) async throws -> [UInt8]? {
        let rows = try await self.tables.pool.rows(statement, [SQLValue(SealedTransient.digest(of: name))])
        guard let sealed = rows.first?.first?.bytes else { return nil }
        return try SealedTransient.open(
            sealed,
            as: name,
            now: now,
            with: try await self.tables.keysForReading(),
            place: self.tables.place
        )
    }
}

extension StoreFactory {
    /// `postgresql://user@host:port/database`, a ``PostgreSQLStore`` sealed with the user's key file.
    ///
    /// libpq reads the address, apart from `tessera_lease`, which is the duration of a lease in seconds, from 5 to 3600.
    /// A password in the address is visible to anyone who lists this machine's processes: `~/.pgpass`, a service file or
    /// `PGPASSWORD` are better places.
    ///
    /// - SeeAlso: [libpq: The Password File](https://www.postgresql.org/docs/current/libpq-pgpass.html)
    public static let postgreSQL = Self.postgreSQL(scheme: "postgresql")

    /// The same under its other name, `postgres://…`.
    public static let postgres = Self.postgreSQL(scheme: "postgres")

    private static func postgreSQL(scheme: String) -> StoreFactory {
        StoreFactory(
            scheme: scheme,
            form: "\(scheme)://USER@HOST/DATABASE"
        ) { rest in
            guard rest.hasPrefix("//") else {
                throw StoreError(
                    .unavailable,
                    place: "\(scheme):",
                    detail: "a database is named as \(scheme)://user@host:port/database"
                )
            }
            let store = try PostgreSQLStore(Secret("\(scheme):\(rest)"))
            return Product(name: store.tables.place) { store }
        }
    }
}
#else
/// Keeps sessions in PostgreSQL.
@available(*, unavailable, message: "Enable the package trait PostgreSQL to use this store.")
public final class PostgreSQLStore {}
#endif
