// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import GRDB
internal import GRDBSQLite
internal import Tessera

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
#endif
