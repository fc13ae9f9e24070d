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
package import TesseraSupport

/// A store that saves sessions in PostgreSQL, where any number of processes and machines can share them.
///
/// Records and their refresh marks are encrypted with AES-256-GCM before they are sent to the server. The issuer,
/// client, subject, generation and update time of each record are stored in plaintext. Access to the database or a copy
/// of it without the key does not reveal any token. The store detects an altered record or mark, but not an older row
/// that was restored.
///
/// An update acquires a lease on the account in a short transaction, and each save is a separate transaction. No
/// connection or lock is held on the server in between. The lease is renewed during the update, and expires if its
/// process dies. If the connection is lost or the server restarts, a save is retried for ten minutes, or for the
/// duration of the lease if that is longer. If another process has changed the account in the meantime, nothing is
/// overwritten, and the save fails with `leaseLost`.
///
/// Reading takes a single statement that does not wait for updates. The tables are created at first use, by only one of
/// the processes if several start at the same time. libpq 13 or later parses the address and supports its TLS
/// parameters, service and password files, and environment variables. No call blocks a cooperative thread.
///
/// A server on another machine must present a certificate for its host name (`sslmode=verify-full`), unless the
/// address, the environment or the service file specifies another mode. If the mode does not verify the server, the
/// server must use SCRAM, unless `require_auth` specifies otherwise. A server that does not meet these requirements is
/// not sent a password, and the connection fails with `unverifiedServer`. libpq 13 to 15 does not support
/// `require_auth`. With these versions, SCRAM must be bound to the server's TLS certificate, unless `channel_binding`
/// is specified.
///
/// - SeeAlso: [libpq: Connection Strings](https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING)
public final class PostgreSQLStore: SessionStore {
    let tables: SessionTables
    private let lockTimeout: Duration
    private let turns = AccountQueue()

    /// Creates a store with caller-supplied keys, without opening a connection until the store is used.
    ///
    /// - Parameters:
    ///   - address: A URL such as `postgresql://user:password@host:port/database?sslmode=verify-full`, or another
    ///     connection string that libpq supports.
    ///   - keys: The keys that encrypt the records, which must be the same in every process.
    ///   - schema: The schema for the tables, which is created if it does not exist.
    ///   - connections: The maximum number of connections, which are opened on demand.
    ///   - leaseDuration: The time that an account stays locked after its process dies, at least one second. The
    ///     address can override it with `tessera_lease`, a number of seconds from 5 to 3600.
    ///   - statementTimeout: The time limit for a statement and for opening a connection.
    ///   - lockTimeout: The time that an update waits for other updates, in all processes, before it fails with `busy`.
    ///   - clock: The clock that measures the waits.
    /// - Throws: `StoreError` with the code `unavailable` if the address cannot be parsed.
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

    /// Creates a store that uses the user's key file, which must be copied to every machine.
    ///
    /// - Parameters:
    ///   - address: A URL such as `postgresql://user:password@host:port/database?sslmode=verify-full`, or another
    ///     connection string that libpq supports.
    ///   - keyDirectory: The directory for the key, which is created at first use if there are no records. Nil means
    ///     `$XDG_CONFIG_HOME/tessera/keys` or `~/.config/tessera/keys`, and on Apple platforms `tessera/keys` in
    ///     `Library/Application Support`.
    ///   - schema: The schema for the tables, which is created if it does not exist.
    /// - Throws: `StoreError` with the code `unavailable` if the address cannot be parsed.
    public convenience init(
        _ address: Secret,
        keyDirectory: String? = nil,
        schema: String = "tessera"
    ) throws {
        try self.init(address, .keyFile(in: keyDirectory), schema)
    }

    /// Creates a store on a simulated server.
    ///
    /// - Parameters:
    ///   - server: The server, as one process sees it.
    ///   - keys: The keys that encrypt the records.
    ///   - leaseDuration: The time that an account stays locked after its process dies.
    ///   - lockTimeout: The time that an update waits for other updates.
    ///   - clock: The clock that measures the waits.
    ///   - executor: The executor that runs all statements.
    /// - Throws: `StoreError` with the code `unavailable` if libpq cannot parse the simulation's address.
    package init(
        simulating server: any SQLServer,
        keys: StoreKeys,
        leaseDuration: Duration = .seconds(30),
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration>,
        executor: BlockingExecutor
    ) throws {
        let address = try PostgreSQLAddress(parsing: Secret("postgresql://simulation/sessions"))
        let link = PostgreSQLLink(address: address, timeout: .seconds(10), server: server)
        self.tables = SessionTables(
            pool: PostgreSQLPool([PostgreSQLConnection(link, executor: executor) { _ in }]),
            statements: try PostgreSQLSchema("tessera").statements,
            keys: .given(keys),
            location: address.location,
            clock: clock,
            leaseDuration: leaseDuration
        )
        self.lockTimeout = lockTimeout
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
            location: address.location,
            clock: clock,
            leaseDuration: address.leaseDuration ?? max(.seconds(1), leaseDuration)
        )
        self.lockTimeout = lockTimeout
    }

    /// Returns an account's last saved record, or nil if there is none.
    ///
    /// This method does not acquire the lease, so a `refreshMark` may belong to a refresh that is in progress.
    public func load(_ account: Account) async throws -> SessionRecord? {
        let key = AccountKey(account)
        let rows = try await self.tables.pool.rows(self.tables.statements.load, [SQLValue(key.bytes)])
        return try await self.tables.open(rows.first, of: key)
    }

    /// Returns every account that has a record, ordered by issuer, client and subject.
    ///
    /// This method does not acquire a lease and does not need the key.
    public func list() async throws -> [Account] { try await self.tables.accounts() }

    /// Removes an account's record, even if it cannot be read.
    ///
    /// Waits for any update of the record to finish first.
    public func remove(_ account: Account) async throws {
        try await self.update(account) { try await $0.remove() }
    }

    /// Runs a closure while no other task or process, on any machine, updates the account.
    ///
    /// - Throws: `StoreError`, for example with the code `busy` if the lease cannot be acquired in time, or
    ///   `unreachable` or `leaseLost`. Throws `CancellationError` if the task is canceled before the lease is acquired,
    ///   or any error that `body` throws.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        let key = AccountKey(account)
        let clock = self.tables.clock
        let timeout = LockTimeout(clock, for: self.lockTimeout)
        let busy = StoreError(.busy, location: self.tables.location)
        try await self.turns.take(key, within: self.lockTimeout, clock: clock, expired: busy)
        defer { self.turns.pass(key) }
        let lease = try await Lease.take(key, in: self.tables, timeout)
        let renewing = TaskExecutorInheritance.start { await lease.renewUntilCanceled() }
        let tenure = EntryLifetime()
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body(Self.entry(lease, tenure))) } catch { outcome = .failure(error) }
        tenure.end()
        renewing.cancel()
        _ = await renewing.result
        await lease.release()
        return try outcome.get()
    }

    /// Checks that a session can be saved by writing, reading and removing a row of similar size in one transaction.
    ///
    /// The row is never visible to other transactions.
    public func probe() async throws {
        let timeout = self.tables.restartTimeout()
        _ = try await self.tables.keysForWriting { timeout }
        let (statements, location) = (self.tables.statements, self.tables.location)
        let name = (0..<4).flatMap { _ in BigEndian.bytes(of: UInt64.random(in: .min ... .max)) }
        let (account, bytes) = (SQLValue(name), (0..<256).flatMap { _ in name })
        try await self.tables.pool.run { link in
            try link.transaction { link in
                _ = try link.run(statements.insertProbe, [account, SQLValue(bytes)])
                guard try link.run(statements.readProbe, [account]).first?.first?.bytes == bytes else {
                    throw StoreError(.notPersisted, location: location)
                }
                _ = try link.run(statements.removeProbe, [account])
            }
        }
    }

    private static func entry(_ lease: Lease, _ tenure: EntryLifetime) -> SessionStoreEntry {
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
    /// Encrypts every record that uses a former key with the current key, even while programs are running.
    ///
    /// A record that another process saves at the same time is not overwritten. To change a key, first give every
    /// program the new key as a former key, and then make it the current key. Finally, call this method once and remove
    /// the old key.
    ///
    /// - Parameter batch: The number of records to read at a time, at least one.
    /// - Returns: The number of records that were encrypted with the current key.
    /// - Throws: `StoreError` for the first record that cannot be read, after all others have been processed, or with
    ///   the code `unreachable` if the server cannot be reached.
    public func reseal(batch: Int = 100) async throws -> Int {
        let timeout = self.tables.restartTimeout()
        let keys = try await self.tables.keysForWriting { timeout }
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
        let location = self.tables.location
        guard let generation = row[4].integer, let record = row[5].bytes else {
            throw SealedRecord.damaged(location, "its row is malformed")
        }
        let account = Account(issuer: row[1].text ?? "", clientID: row[2].text ?? "", subject: row[3].text ?? "")
        let stored = StoredRow(account: AccountKey(account), generation: generation, record: record, mark: nil)
        let sealed = try stored.resealed(with: keys, of: self.tables.keys.location, location: location)
        // Compare the bytes to detect a concurrent change, because a generation can be saved twice.
        let rows = try await self.tables.pool.rows(
            self.tables.statements.reseal,
            [row[0], SQLValue(record), SQLValue(sealed), SQLValue(keys.current.id)]
        )
        return !rows.isEmpty
    }
}

/// Taking a value deletes it in the same statement, so only one process receives it.
extension PostgreSQLStore: TransientStore {
    /// Stores a value for all processes until it expires, and removes expired values, at most 1,000 in each call.
    public func save(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws {
        let tables = self.tables
        let keys = try await tables.keysForWriting { tables.restartTimeout() }
        let sealed = try SealedTransient.seal(content, as: name, until: end, with: keys, location: tables.location)
        _ = try await tables.pool.rows(
            tables.statements.saveTransient,
            [SQLValue(SealedTransient.digest(of: name)), SQLValue(sealed), SQLValue(end.timeIntervalSince1970)]
        )
        // The value has been stored. Later calls remove what this one does not.
        _ = try? await tables.pool.rows(
            tables.statements.deleteExpiredTransients,
            [SQLValue(now.timeIntervalSince1970)]
        )
    }

    /// Returns the value stored under a name, or nil if it does not exist or has expired.
    public func content(of name: String, now: Date) async throws -> [UInt8]? {
        let rows = try await self.tables.pool.rows(
            self.tables.statements.loadTransient,
            [SQLValue(SealedTransient.digest(of: name))]
        )
        return try await self.open(rows, name, now)
    }

    /// Removes the value stored under a name and returns it, or nil if it does not exist or has expired.
    ///
    /// - Throws: `StoreError` with the code `unreachable` if the connection was lost and the value no longer exists. In
    ///   that case, this call or another one has removed it.
    public func take(_ name: String, now: Date) async throws -> [UInt8]? {
        let (statement, location) = (self.tables.statements.takeTransient, self.tables.location)
        let wasSent = Mutex(false)
        let rows = try await self.tables.pool.run { link in
            let isFirst = wasSent.setOnce()
            let rows = try link.run(statement, [SQLValue(SealedTransient.digest(of: name))])
            if !isFirst, rows.isEmpty {
                throw StoreError(.unreachable, location: location, detail: "the value may have been removed")
            }
            return rows
        }
        return try await self.open(rows, name, now)
    }

    private func open(_ rows: [[SQLValue]], _ name: String, _ now: Date) async throws -> [UInt8]? {
        guard let sealed = rows.first?.first?.bytes else { return nil }
        return try SealedTransient.open(
            sealed,
            as: name,
            now: now,
            with: try await self.tables.keysForReading(),
            location: self.tables.location
        )
    }
}

extension StoreFactory {
    /// The `postgresql:` scheme, which is a ``PostgreSQLStore`` that is encrypted with the user's key file.
    ///
    /// libpq parses the address `postgresql://user@host:port/database`, except for `tessera_lease`, which is the
    /// duration of a lease in seconds, from 5 to 3600. Any user who can list this machine's processes can see a
    /// password in the address. Use `~/.pgpass`, a service file or `PGPASSWORD` instead.
    ///
    /// - SeeAlso: [libpq: The Password File](https://www.postgresql.org/docs/current/libpq-pgpass.html)
    public static let postgreSQL = Self.postgreSQL(scheme: "postgresql")

    /// The `postgres:` scheme, which is an alias for `postgresql:`.
    public static let postgres = Self.postgreSQL(scheme: "postgres")

    private static func postgreSQL(scheme: String) -> StoreFactory {
        StoreFactory(
            scheme: scheme,
            form: "\(scheme)://USER@HOST/DATABASE"
        ) { rest in
            guard rest.hasPrefix("//") else {
                throw StoreError(
                    .unavailable,
                    location: "\(scheme):",
                    detail: "an address has the form \(scheme)://user@host:port/database"
                )
            }
            let store = try PostgreSQLStore(Secret("\(scheme):\(rest)"))
            return Product(name: store.tables.location) { store }
        }
    }
}
#else
/// A store that saves sessions in PostgreSQL.
@available(*, unavailable, message: "Enable the package trait PostgreSQL to use this store.")
public final class PostgreSQLStore {}
#endif
