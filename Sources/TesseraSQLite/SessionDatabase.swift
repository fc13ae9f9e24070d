// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import GRDB
internal import GRDBSQLite
internal import Tessera
internal import TesseraStores
internal import TesseraSupport

/// The database file of a store: every call blocks, and only a ``BlockingExecutor`` may make it.
final class SessionDatabase: Sendable {
    let path: String
    let keys: StoreKeySource
    private let allowsNetworkFileSystem: Bool
    private let patience: Duration
    private let opened = Mutex<DatabasePool?>(nil)

    init(path: String, keys: StoreKeySource, allowsNetworkFileSystem: Bool, patience: Duration) {
        self.path = path
        self.keys = keys
        self.allowsNetworkFileSystem = allowsNetworkFileSystem
        self.patience = patience
    }

    var lockPath: String { self.path + ".lock" }
    var reservePath: String { self.path + ".reserve" }

    /// The connections that stay open, nil until the database was opened.
    var pool: DatabasePool? { self.opened.withLock { $0 } }

    /// Makes the directory ready for whoever is about to lock.
    ///
    /// - Throws: `unavailable` for a path that cannot be one, `permissionDenied`, `networkFileSystem`.
    func prepare() throws {
        guard self.path.hasPrefix("/"), !self.path.utf8.contains(0), let directory = FileSystem.parent(of: self.path)
        else { throw StoreError(.unavailable, place: self.path, detail: "not an absolute path") }
        try StoreError.mapping(FileSystem.makeDirectory(directory))
        if !self.allowsNetworkFileSystem, let name = try StoreError.mapping(NetworkFileSystem.name(at: directory)) {
            throw StoreError(.networkFileSystem, place: directory, detail: name)
        }
    }

    /// Opens the database, and makes it or brings it up to date; its caller holds the lock of ``AccountKey/probe``.
    ///
    /// - Throws: `newerFormat`, `corrupt`, `unavailable` when it is another program's, …
    func open() throws -> DatabaseAccess {
        if let pool = self.pool { return .shared(pool) }
        try StoreError.mapping(FileSystem.makePrivateFile(self.path))
        try self.closeCompanions()
        let pool: DatabasePool
        do {
            pool = try self.openShared()
        } catch let error as StoreError where error.code == .full {
            // What is stored can be read, and removed, all the same.
            return .alone(self)
        }
        try self.closeCompanions()
        // A full disk does not keep anybody from reading; whoever has something to save finds out then.
        try? FileSystem.reserve(Self.reserve, at: self.reservePath)
        self.opened.withLock { $0 = pool }
        return .shared(pool)
    }

    private func openShared() throws -> DatabasePool {
        let (path, configuration) = (self.path, self.configuration(isAlone: false))
        return try self.translating {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.read { database in try Schema.check(database, place: path) }
            try queue.close()
            let pool = try DatabasePool(path: path, configuration: configuration)
            // GRDB sets NORMAL in WAL mode, with which a save may be gone after a loss of power.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try Schema.migrator.migrate(pool)
            return pool
        }
    }

    /// Opens the database for one piece of work, while nobody else has it open.
    func openAlone() throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: self.path, configuration: self.configuration(isAlone: true))
        try queue.read { database in try Schema.check(database, place: self.path) }
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try Schema.migrator.migrate(queue)
        return queue
    }

    private func configuration(isAlone: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.label = "tessera"
        configuration.busyMode = .timeout(TimeInterval(self.patience.components.seconds) + 1)
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { database in
            try DatabaseAccess.explaining(database) {
                if isAlone { try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
                // On Apple's systems `fsync` leaves the contents in the drive's cache.
                try database.execute(
                    sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1; PRAGMA trusted_schema = 0"
                )
                // What needs space on the disk comes here, where an error can be explained.
                _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master")
            }
        }
        return configuration
    }

    /// Takes the others' rights from the files that SQLite keeps beside the database.
    private func closeCompanions() throws {
        for suffix in ["-wal", "-shm"] where try StoreError.mapping(FileSystem.exists(self.path + suffix)) {
            try StoreError.mapping(FileSystem.makePrivateFile(self.path + suffix))
        }
    }

    /// Runs `work` and says in a store's terms what failed in SQLite.
    func translating<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as StoreError {
            throw error
        } catch let error as ExplainedDatabaseError {
            throw StoreError(error.error, status: error.status, place: self.path)
        } catch let error as DatabaseError {
            throw StoreError(error, status: 0, place: self.path)
        } catch {
            throw StoreError(.system, place: self.path, detail: "\(type(of: error))")
        }
    }
}

/// How a database is read and written.
///
/// Every call blocks.
enum DatabaseAccess: Sendable {
    /// By connections that stay open, together with other processes.
    case shared(DatabasePool)
    /// By a connection that is opened for one piece of work at a time and lets nobody else in.
    ///
    /// It keeps the index of the write-ahead log in memory, so that it needs no space on a disk that is full.
    case alone(SessionDatabase)

    /// Reads one snapshot.
    func read<Result>(_ work: (Database) throws -> Result) throws -> Result {
        switch self {
        case .shared(let pool): try pool.read { database in try Self.explaining(database) { try work(database) } }
        case .alone(let file):
            try file.openAlone().read { database in try Self.explaining(database) { try work(database) } }
        }
    }

    /// Writes one transaction, durable when this returns.
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
            // The end of the transaction, too, is within reach of the system's own message.
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

    /// Runs `work`, and adds the system's own message to an error.
    static func explaining<Result>(_ database: Database, _ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as DatabaseError {
            let status = database.sqliteConnection.map { sqlite3_system_errno($0) } ?? 0
            throw ExplainedDatabaseError(error: error, status: status)
        }
    }
}

/// SQLite's error and the number of the system's own, 0 where there is none.
struct ExplainedDatabaseError: Error {
    let error: DatabaseError
    let status: Int32
}

extension StoreError {
    /// SQLite's error; it names statements, never the values in them.
    ///
    /// - Parameters:
    ///   - error: SQLite's own.
    ///   - status: the system's number for what failed, 0 where SQLite knows none.
    ///   - place: the database.
    init(_ error: DatabaseError, status: Int32, place: String) {
        let words = "SQLite: \(error.message ?? "\(error.extendedResultCode)")"
        switch error.resultCode {
        // SQLite gives it the same meaning and no number of the system's.
        case .SQLITE_FULL: self.init(SystemError(ENOSPC, words, place))
        case .SQLITE_IOERR where status != 0, .SQLITE_CANTOPEN where status != 0:
            self.init(SystemError(status, words, place))
        default:
            let code: Code =
                switch error.resultCode {
                case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
                case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: .permissionDenied
                case .SQLITE_CANTOPEN: .unavailable
                case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
                default: .system
                }
            self.init(code, place: place, status: error.extendedResultCode.rawValue, detail: words)
        }
    }
}
#endif
