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

/// A store that saves the sessions of any number of users in a single SQLite database on one machine.
///
/// Records and their refresh marks are encrypted with AES-256-GCM before they are passed to SQLite. The issuer, client,
/// subject, generation and update time of each record are stored in plaintext. This protects copies of the database
/// that do not include the key, and detects any change to a record or mark. It does not detect that an older copy of a
/// row was restored.
///
/// When the disk is full, sessions can still be read and removed. A refresh fails with `full` before it is sent.
///
/// The database uses WAL mode with `synchronous=FULL`, so a save is on disk when it returns. The database file and its
/// companions (`-wal`, `-shm`, `.lock`, `.reserve`) have mode 0600. A lock on one byte of the lock file serializes an
/// account's updates across instances and processes on this machine, and is released when its process exits. Reading
/// does not take a lock and does not wait. Network file systems are rejected. A program that uses an older schema fails
/// with `newerFormat` and does not change the database.
///
/// - SeeAlso: [SQLite: Write-Ahead Logging](https://www.sqlite.org/wal.html)
public final class SQLiteStore: SessionStore {
    let database: SessionDatabase
    private let locks: AccountLocks
    /// Runs, in order, all work that waits for the disk or for another process's transaction.
    let writing = BlockingExecutor()
    /// Runs reads, which never wait for a transaction.
    let reading = BlockingExecutor()

    /// Creates a store in a database file, which is created at the first write.
    ///
    /// - Parameters:
    ///   - path: The database file. A relative path is resolved against the current directory immediately. Only the
    ///     file's owner may have write access to its directory.
    ///   - keys: The keys that encrypt the records.
    ///   - forcesNetworkFileSystem: Whether to allow a network file system, which is safe only if a single machine uses
    ///     it.
    ///   - lockTimeout: The time that an update waits for other updates, in this and other processes, before it fails
    ///     with `busy`.
    ///   - clock: The clock that measures the wait.
    public convenience init(
        path: String,
        keys: StoreKeys,
        forcesNetworkFileSystem: Bool = false,
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(path, .given(keys), forcesNetworkFileSystem, lockTimeout, clock)
    }

    /// Creates a store in a database file that is encrypted with the user's key file.
    ///
    /// - Parameters:
    ///   - path: The database file.
    ///   - keyDirectory: The directory for the key, which is created at first use. Nil means the user's key directory,
    ///     as for an `EncryptedFileStore`.
    ///   - lockTimeout: The time that an update waits for other updates, in this and other processes, before it fails
    ///     with `busy`.
    ///   - clock: The clock that measures the wait.
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
            path: UserFolders.absolute(path),
            keys: keys,
            allowsNetworkFileSystem: forcesNetworkFileSystem,
            timeout: lockTimeout
        )
        self.database = database
        self.locks = AccountLocks(
            timeout: lockTimeout,
            clock: clock,
            executor: self.writing,
            location: { _ in database.lockPath },
            opening: { key in
                try database.prepare()
                return try StoreError.mapping(FileLock(path: database.lockPath, byte: Self.lockByte(of: key)))
            }
        )
    }

    /// Returns an account's last saved record, or nil if there is none.
    ///
    /// This method does not take the lock, so a `refreshMark` may belong to a refresh that is in progress.
    public func load(_ account: Account) async throws -> SessionRecord? {
        guard let access = try await self.openIfExists() else { return nil }
        let key = AccountKey(account)
        return try await self.reading.run { [database] in try database.read(key, in: access) }
    }

    /// Returns every account that has a record, ordered by issuer, client and subject.
    ///
    /// This method does not take the lock and does not need the key.
    public func list() async throws -> [Account] {
        guard let access = try await self.openIfExists() else { return [] }
        return try await self.reading.run { [database] in try database.accounts(in: access) }
    }

    /// Removes an account's record, even if it cannot be read.
    ///
    /// Waits for any update of the record to finish first.
    public func remove(_ account: Account) async throws {
        guard try await self.openIfExists() != nil else { return }
        try await self.update(account) { try await $0.remove() }
    }

    /// Runs a closure while no other task or process on this machine updates the account.
    ///
    /// - Throws: `StoreError`, for example with the code `busy` if the lock cannot be acquired in time, or
    ///   `networkFileSystem`, `permissionDenied` or `full`. Throws `CancellationError` if the task is canceled before
    ///   the lock is acquired, or any error that `body` throws.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        let access = try await self.open()
        let key = AccountKey(account)
        return try await self.locks.exclusively(key) { tenure in try await body(self.entry(key, access, tenure)) }
    }

    /// Checks that a session can be saved by durably writing, reading and removing data of similar size.
    ///
    /// Only the database and the key remain afterward.
    public func probe() async throws {
        let access = try await self.open()
        try await self.locks.exclusively(.probe) { _ in
            try await self.writing.run { [database] in try database.probe(access) }
        }
    }

    /// Encrypts every record that uses a former key with the current key, even while programs are running.
    ///
    /// A record that another process saves at the same time is not overwritten. To change a key, first give every
    /// program the new key as a former key, and then make it the current key. Finally, call this method and remove the
    /// old key.
    ///
    /// - Parameter batch: The number of records to read at a time, at least one.
    /// - Returns: The number of records that were encrypted with the current key.
    /// - Throws: `StoreError` for the first record that cannot be read, after all others have been processed.
    public func reseal(batch: Int = 100) async throws -> Int {
        guard let access = try await self.openIfExists() else { return 0 }
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

    /// Returns the byte in the lock file that represents an account.
    ///
    /// Two accounts share a byte with a probability of 2⁻⁶⁰, in which case they wait for each other.
    private static func lockByte(of account: AccountKey) -> Int64 {
        Int64(account.name.prefix(15), radix: 16) ?? 1 << 61
    }

    /// Returns the open database, or nil if the file does not exist.
    private func openIfExists() async throws -> DatabaseAccess? {
        if let pool = self.database.pool { return .shared(pool) }
        let exists = try await self.reading.run { [database] in
            try StoreError.mapping(FileSystem.exists(database.path))
        }
        return exists ? try await self.open() : nil
    }

    /// Returns the open database, after creating it if necessary.
    func open() async throws -> DatabaseAccess {
        if let pool = self.database.pool { return .shared(pool) }
        // Processes open the database one at a time, because concurrent creation can fail.
        return try await self.locks.exclusively(.probe) { _ in
            try await self.writing.run { [database] in try database.open() }
        }
    }

    private func entry(_ key: AccountKey, _ access: DatabaseAccess, _ tenure: EntryLifetime) -> SessionStoreEntry {
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

/// Taking a value reads and deletes it in one transaction, so only one process on this machine receives it.
extension SQLiteStore: TransientStore {
    /// Stores a value durably until it expires, and removes expired values, at most 1,000 in each call.
    public func save(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws {
        let access = try await self.open()
        try await self.writing.run { [database] in
            let keys = try database.keysForWriting(access)
            let sealed = try SealedTransient.seal(content, as: name, until: end, with: keys, location: database.path)
            try database.translating {
                try access.write { connection in
                    try connection.execute(
                        sql: """
                            DELETE FROM transient WHERE name IN (
                                SELECT name FROM transient WHERE end_at < ? LIMIT 1000
                            )
                            """,
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

    /// Returns the value stored under a name, or nil if it does not exist or has expired.
    public func content(of name: String, now: Date) async throws -> [UInt8]? {
        guard let access = try await self.openIfExists() else { return nil }
        return try await self.reading.run { [database] in
            let sql = "SELECT content FROM transient WHERE name = ?"
            return try database.transient(name, now) { arguments in
                try access.read { try Data.fetchOne($0, sql: sql, arguments: arguments) }
            }
        }
    }

    /// Removes the value stored under a name and returns it, or nil if it does not exist or has expired.
    public func take(_ name: String, now: Date) async throws -> [UInt8]? {
        guard let access = try await self.openIfExists() else { return nil }
        return try await self.writing.run { [database] in
            let sql = "DELETE FROM transient WHERE name = ? RETURNING content"
            return try database.transient(name, now) { arguments in
                try access.write { try Data.fetchOne($0, sql: sql, arguments: arguments) }
            }
        }
    }
}

extension SessionDatabase {
    /// Decrypts the value that `fetch` returns for the digest of a name.
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
            location: self.path
        )
    }
}

extension StoreFactory {
    /// The `sqlite:` scheme, which is a ``SQLiteStore`` that is encrypted with the user's key file.
    ///
    /// The form is `sqlite:FILE`. `FILE` is absolute, relative to the current directory, or begins with `~/`. It is not
    /// percent-decoded. `sqlite:///FILE` means `/FILE`.
    public static let sqlite = StoreFactory(
        scheme: "sqlite",
        form: "sqlite:FILE"
    ) { rest in
        let path = try StoreURI.path(rest, of: "sqlite:")
        guard !rest.hasSuffix("/") else {
            throw StoreError(.unavailable, location: "sqlite:", detail: "the file name is missing; use sqlite:FILE")
        }
        return Product(name: "sqlite:\(path)") { SQLiteStore(path: path) }
    }
}
#else
/// A store that saves sessions in an SQLite database.
@available(*, unavailable, message: "Enable the package trait SQLite to use this store.")
public final class SQLiteStore {}
#endif
