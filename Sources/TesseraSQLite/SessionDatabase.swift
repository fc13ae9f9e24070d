// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import GRDB
internal import GRDBSQLite
internal import Tessera
internal import TesseraStores
internal import TesseraSupport

/// A store's database file.
///
/// Every method blocks and must only be called on a ``BlockingExecutor``.
final class SessionDatabase: Sendable {
    let path: String
    let keys: StoreKeySource
    private let allowsNetworkFileSystem: Bool
    private let timeout: Duration
    private let opened = Mutex<DatabasePool?>(nil)

    init(path: String, keys: StoreKeySource, allowsNetworkFileSystem: Bool, timeout: Duration) {
        self.path = path
        self.keys = keys
        self.allowsNetworkFileSystem = allowsNetworkFileSystem
        self.timeout = timeout
    }

    var lockPath: String { self.path + ".lock" }
    var reservePath: String { self.path + ".reserve" }

    /// The open connections, or nil if the database has not been opened.
    var pool: DatabasePool? { self.opened.withLock { $0 } }

    /// Creates and checks the directory before acquiring a lock.
    ///
    /// - Throws: `StoreError` with the code `unavailable` if the path is not absolute, `permissionDenied` or
    ///   `networkFileSystem`.
    func prepare() throws {
        guard self.path.hasPrefix("/"), !self.path.utf8.contains(0), let directory = FileSystem.parent(of: self.path)
        else { throw StoreError(.unavailable, location: self.path, detail: "the path is not absolute") }
        try StoreError.mapping(FileSystem.makeDirectory(directory))
        if !self.allowsNetworkFileSystem, let name = try StoreError.mapping(NetworkFileSystem.name(at: directory)) {
            throw StoreError(.networkFileSystem, location: directory, detail: name)
        }
    }

    /// Opens the database, creating or migrating it if necessary.
    ///
    /// The caller must hold the lock for ``AccountKey/probe``.
    ///
    /// - Throws: `StoreError`, for example with the code `newerFormat`, `corrupt` or, for another program's database,
    ///   `unavailable`.
    func open() throws -> DatabaseAccess {
        if let pool = self.pool { return .shared(pool) }
        try StoreError.mapping(FileSystem.makePrivateFile(self.path))
        try self.closeCompanions()
        let pool: DatabasePool
        do {
            pool = try self.openShared()
        } catch let error as StoreError where error.code == .full {
            // Existing records can still be read and removed.
            return .alone(self)
        }
        try self.closeCompanions()
        // A full disk must not prevent reading. Saving reports the error later.
        try? FileSystem.reserve(Self.reserve, at: self.reservePath)
        self.opened.withLock { $0 = pool }
        return .shared(pool)
    }

    private func openShared() throws -> DatabasePool {
        let (path, configuration) = (self.path, self.configuration(isAlone: false))
        return try self.translating {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.read { database in try Schema.check(database, location: path) }
            try queue.close()
            let pool = try DatabasePool(path: path, configuration: configuration)
            // GRDB sets NORMAL in WAL mode, which can lose a save after a power failure.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try Schema.migrator.migrate(pool)
            return pool
        }
    }

    /// Opens the database with an exclusive lock for a single operation.
    func openAlone() throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: self.path, configuration: self.configuration(isAlone: true))
        try queue.read { database in try Schema.check(database, location: self.path) }
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try Schema.migrator.migrate(queue)
        return queue
    }

    private func configuration(isAlone: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.label = "tessera"
        configuration.busyMode = .timeout(TimeInterval(self.timeout.components.seconds) + 1)
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { database in
            try DatabaseAccess.explaining(database) {
                if isAlone { try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
                // On Apple platforms, `fsync` leaves data in the drive's cache.
                try database.execute(
                    sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1; PRAGMA trusted_schema = 0"
                )
                // This first query may need disk space, and fails here, where the error can be explained.
                _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master")
            }
        }
        return configuration
    }

    /// Removes other users' permissions from the files that SQLite creates next to the database.
    private func closeCompanions() throws {
        for suffix in ["-wal", "-shm"] where try StoreError.mapping(FileSystem.exists(self.path + suffix)) {
            try StoreError.mapping(FileSystem.makePrivateFile(self.path + suffix))
        }
    }

    /// Runs `work` and converts SQLite errors to store errors.
    func translating<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as StoreError {
            throw error
        } catch let error as ExplainedDatabaseError {
            throw StoreError(error.error, status: error.status, location: self.path)
        } catch let error as DatabaseError {
            throw StoreError(error, status: 0, location: self.path)
        } catch {
            throw StoreError(.system, location: self.path, detail: "\(type(of: error))")
        }
    }
}

/// A way to read and write the database.
///
/// Every method blocks.
enum DatabaseAccess: Sendable {
    /// Persistent connections, which allow concurrent access by other processes.
    case shared(DatabasePool)
    /// A connection that is opened for each operation and locks out other processes.
    ///
    /// The index of the write-ahead log is in memory, so this access works on a full disk.
    case alone(SessionDatabase)

    /// Runs a read on a consistent snapshot.
    func read<Result>(_ work: (Database) throws -> Result) throws -> Result {
        switch self {
        case .shared(let pool): try pool.read { database in try Self.explaining(database) { try work(database) } }
        case .alone(let file):
            try file.openAlone().read { database in try Self.explaining(database) { try work(database) } }
        }
    }

    /// Runs a write in a transaction, which is durable when this method returns.
    func write<Result>(_ work: (Database) throws -> Result) throws -> Result {
        switch self {
        case .shared(let pool): try Self.write(pool, work)
        case .alone(let file): try Self.write(try file.openAlone(), work)
        }
    }

    private static func write<Result>(
        _ writer: some DatabaseWriter,
        _ work: (Database) throws -> Result
    ) throws -> Result {
        var result: Result?
        try writer.writeWithoutTransaction { database in
            // The commit is inside the closure, so that its errors are also explained.
            try Self.explaining(database) {
                try database.inTransaction {
                    result = try work(database)
                    return .commit
                }
            }
        }
        guard let result else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
        return result
    }

    /// Runs `work` and adds the system's error number to SQLite errors.
    static func explaining<Result>(_ database: Database, _ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as DatabaseError {
            let status = database.sqliteConnection.map { sqlite3_system_errno($0) } ?? 0
            throw ExplainedDatabaseError(error: error, status: status)
        }
    }
}

/// An SQLite error with the system's error number, or 0 if it is unknown.
struct ExplainedDatabaseError: Error {
    let error: DatabaseError
    let status: Int32
}

extension StoreError {
    /// Creates a store error from an SQLite error, which contains statements but not their values.
    ///
    /// - Parameters:
    ///   - error: The SQLite error.
    ///   - status: The system's error number, or 0 if SQLite does not have one.
    ///   - location: The database's location.
    init(_ error: DatabaseError, status: Int32, location: String) {
        let words = "SQLite: \(error.message ?? "\(error.extendedResultCode)")"
        switch error.resultCode {
        // This code means ENOSPC, but SQLite does not report an error number for it.
        case .SQLITE_FULL: self.init(SystemError(ENOSPC, words, location))
        case .SQLITE_IOERR where status != 0, .SQLITE_CANTOPEN where status != 0:
            self.init(SystemError(status, words, location))
        default:
            let code: Code =
                switch error.resultCode {
                case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
                case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: .permissionDenied
                case .SQLITE_CANTOPEN: .unavailable
                case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
                default: .system
                }
            self.init(code, location: location, status: error.extendedResultCode.rawValue, detail: words)
        }
    }
}
#endif
