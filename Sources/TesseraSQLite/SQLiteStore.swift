// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import GRDB
public import Tessera
public import TesseraStores
internal import TesseraSupport

/// Keeps the sessions of many users of one machine in one SQLite database.
///
/// Records are sealed with AES-256-GCM, together with their refresh marks, before they reach SQLite. Issuer, client,
/// subject, generation, and when a record was last written are next to them in plaintext. This protects a copy of the
/// database that comes without the key, and it notices every change of a record or mark; it does not notice that an older
/// copy of a row was put back.
///
/// On a full disk sessions can be read and removed. A refresh fails with `full` before it is sent.
///
/// The database is in WAL mode with `synchronous=FULL`: a save is on the disk when it returns. The file, its companions
/// (`-wal`, `-shm`, `.lock`, `.reserve`) have mode 0600. Updates of one account exclude each other across instances and
/// across processes of this machine, by one byte of the lock file; a process that dies, however, lets go of it. Reading
/// takes no lock and waits for nobody. On a network file system the store is refused. Programs that link another
/// version's schema meet `newerFormat`, and change nothing.
///
/// - SeeAlso: [SQLite: Write-Ahead Logging](https://www.sqlite.org/wal.html)
public final class SQLiteStore: SessionStore {
    let database: SessionDatabase
    private let locks: AccountLocks
    /// Everything that waits for the disk or for another process's transaction, in order.
    let writing = BlockingExecutor()
    /// What only reads: it never waits for a transaction.
    let reading = BlockingExecutor()

    /// A store in a database file, which is made when it is first written.
    ///
    /// - Parameters:
    ///   - path: the file. A relative path starts at the current directory of this moment. Nobody but its owner may be
    ///     able to write in its directory.
    ///   - keys: what seals the records, and what sealed older ones.
    ///   - forcesNetworkFileSystem: takes a network file system too: right only where one machine alone uses it.
    ///   - lockTimeout: how long an update may wait for others, of this process and of all, before it fails with `busy`.
    ///   - clock: what waits.
    public convenience init(
        path: String,
        keys: StoreKeys,
        forcesNetworkFileSystem: Bool = false,
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(path, .given(keys), forcesNetworkFileSystem, lockTimeout, clock)
    }

    /// A store in a database file, sealed with the user's key file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - keyDirectory: The key's directory. The key is made at first use. Nil is the user's key directory, as for an
    ///     `EncryptedFileStore`.
    ///   - lockTimeout: as above.
    ///   - clock: what waits.
    public convenience init(
        path: String,
        keyDirectory: String? = nil,
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(path, .keyFile(in: keyDirectory), false, lockTimeout, clock)
    }

    private init(
        _ path: String,
        _ keys: StoreKeySource,
        _ forcesNetworkFileSystem: Bool,
        _ lockTimeout: Duration,
        _ clock: any Clock<Duration>
    ) {
        let database = SessionDatabase(
            path: UserPlaces.absolute(path),
            keys: keys,
            allowsNetworkFileSystem: forcesNetworkFileSystem,
            patience: lockTimeout
        )
        self.database = database
        self.locks = AccountLocks(
            timeout: lockTimeout,
            clock: clock,
            executor: self.writing,
            place: { _ in database.lockPath },
            opening: { key in
                try database.prepare()
                return try StoreError.mapping(FileLock(path: database.lockPath, byte: Self.lockByte(of: key)))
            }
        )
    }

    /// The record of an account as it was last saved, nil where there is none.
    ///
    /// Takes no lock: a `refreshMark` may be that of a refresh which runs at this moment.
    public func load(_ account: Account) async throws -> SessionRecord? {
        guard let access = try await self.access(creating: false) else { return nil }
        let key = AccountKey(account)
        return try await self.reading.run { [database] in try database.read(key, in: access) }
    }

    /// Every account that has a record, ordered by issuer, client and subject.
    ///
    /// Takes no lock and needs no key.
    public func list() async throws -> [Account] {
        guard let access = try await self.access(creating: false) else { return [] }
        return try await self.reading.run { [database] in try database.accounts(in: access) }
    }

    /// Removes an account's record, even one that cannot be read.
    ///
    /// Waits for an update of it to end.
    public func remove(_ account: Account) async throws {
        guard try await self.access(creating: false) != nil else { return }
        try await self.update(account) { try await $0.remove() }
    }

    /// Runs `body` while nobody else updates this account, in this process or another one of this machine.
    ///
    /// - Throws: `StoreError` `busy` when the lock cannot be had in time, `networkFileSystem`, `permissionDenied`,
    ///   `full`, …; what `body` throws; `CancellationError` when the task is cancelled before its turn.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        guard let access = try await self.access(creating: true) else {
            throw StoreError(.unavailable, place: self.database.path)
        }
        let key = AccountKey(account)
        return try await self.locks.exclusively(key) { tenure in try await body(self.entry(key, access, tenure)) }
    }

    /// Writes and reads back something of a session's size, durably, and leaves nothing behind but the database and the key.
    public func probe() async throws {
        guard let access = try await self.access(creating: true) else {
            throw StoreError(.unavailable, place: self.database.path)
        }
        try await self.locks.exclusively(.probe) { _ in
            try await self.writing.run { [database] in try database.probe(access) }
        }
    }

    /// Seals with the current key every record that a former one sealed, while programs go on.
    ///
    /// A record that is saved meanwhile stays as it was saved. To change a key: give every program the new key as a
    /// former one, then make it the current one, call this, and then drop the old key.
    ///
    /// - Parameter batch: how many records are read at a time, at least one.
    /// - Returns: how many records were sealed anew.
    /// - Throws: `StoreError` of the first record that cannot be opened, after all the others.
    public func reseal(batch: Int = 100) async throws -> Int {
        guard let access = try await self.access(creating: false) else { return 0 }
        var moved = 0
        var last: [UInt8] = []
        var failure: StoreError?
        while true {
            let step = try await self.writing.run { [database, last] in
                try database.reseal(after: last, limit: max(1, batch), in: access)
            }
            moved += step.moved
            failure = failure ?? step.failure
            guard let next = step.last else { break }
            last = next
        }
        if let failure { throw failure }
        return moved
    }

    /// Two accounts whose names begin alike, one pair in 2⁶⁰, wait for each other.
    private static func lockByte(of account: AccountKey) -> Int64 {
        Int64(account.name.prefix(15), radix: 16) ?? 1 << 61
    }

    /// The opened database; nil where there is no file and none is to be made.
    func access(creating: Bool) async throws -> DatabaseAccess? {
        if let pool = self.database.pool { return .shared(pool) }
        if !creating,
            try await !self.reading.run({ [database] in try StoreError.mapping(FileSystem.exists(database.path)) })
        {
            return nil
        }
        // One at a time, in all processes: two that make one database at a time would be in each other's way.
        return try await self.locks.exclusively(.probe) { _ in
            try await self.writing.run { [database] in try database.open() }
        }
    }

    private func entry(_ key: AccountKey, _ access: DatabaseAccess, _ tenure: Tenure) -> SessionStoreEntry {
        let database = self.database
        return SessionStoreEntry(
            of: key,
            at: database.path,
            during: tenure,
            on: self.writing,
            load: { try database.read(key, in: access) },
            mark: { mark in try database.write(mark, of: key, in: access) },
            save: { record in try database.write(record, of: key, in: access) },
            remove: { try database.remove(key, in: access) }
        )
    }
}

/// What is taken is read and deleted in one transaction: of all processes of the machine one gets it.
extension SQLiteStore: TransientStore {
    /// Keeps something until a time, durably; what has come to its end is deleted.
    public func keep(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws {
        guard let access = try await self.access(creating: true) else {
            throw StoreError(.unavailable, place: self.database.path)
        }
        try await self.writing.run { [database] in
            let keys = try database.keysForWriting(access)
            let sealed = try SealedTransient.seal(content, as: name, until: end, with: keys, place: database.path)
            try database.translating {
                try access.write { connection in
                    try connection.execute(
                        sql: "DELETE FROM transient WHERE end_at < ?",
                        arguments: [now.timeIntervalSince1970]
                    )
                    try connection.execute(
                        sql: "INSERT OR REPLACE INTO transient (name, content, end_at) VALUES (?, ?, ?)",
                        arguments: [
                            Data(SealedTransient.digest(of: name)), Data(sealed), end.timeIntervalSince1970,
                        ]
                    )
                }
            }
        }
    }

    /// What has that name and has not come to its end.
    public func content(of name: String, now: Date) async throws -> [UInt8]? {
        guard let access = try await self.access(creating: false) else { return nil }
        return try await self.reading.run { [database] in
            let sql = "SELECT content FROM transient WHERE name = ?"
            return try database.transient(name, now) { arguments in
                try access.read { try Data.fetchOne($0, sql: sql, arguments: arguments) }
            }
        }
    }

    /// The same, and removes it.
    public func take(_ name: String, now: Date) async throws -> [UInt8]? {
        guard let access = try await self.access(creating: false) else { return nil }
        return try await self.writing.run { [database] in
            let sql = "DELETE FROM transient WHERE name = ? RETURNING content"
            return try database.transient(name, now) { arguments in
                try access.write { try Data.fetchOne($0, sql: sql, arguments: arguments) }
            }
        }
    }
}

extension SessionDatabase {
    /// Opens the content that `fetch` finds under a name's digest.
    fileprivate func transient(
        _ name: String,
        _ now: Date,
        _ fetch: (_ arguments: StatementArguments) throws -> Data?
    ) throws -> [UInt8]? {
        let digest = Data(SealedTransient.digest(of: name))
        guard let sealed = try self.translating({ try fetch([digest]) }) else { return nil }
        return try SealedTransient.open(
            Array(sealed),
            as: name,
            now: now,
            with: try self.keys.existing(),
            place: self.path
        )
    }
}

extension StoreFactory {
    /// `sqlite:FILE`, a ``SQLiteStore`` sealed with the user's key file.
    ///
    /// `FILE` is absolute, relative to the current directory, or begins with `~/`; it is taken as it is written, without
    /// percent-decoding, and `sqlite:///FILE` means `/FILE`.
    public static let sqlite = StoreFactory(
        scheme: "sqlite",
        form: "sqlite:FILE"
    ) { rest in
        let path = try StoreURI.path(rest, of: "sqlite:")
        guard !rest.hasSuffix("/") else {
            throw StoreError(.unavailable, place: "sqlite:", detail: "the name of a file is missing: sqlite:FILE")
        }
        return Product(name: "sqlite:\(path)") { SQLiteStore(path: path) }
    }
}
#else
/// Keeps sessions in an SQLite database.
@available(*, unavailable, message: "Enable the package trait SQLite to use this store.")
public final class SQLiteStore {}
#endif
