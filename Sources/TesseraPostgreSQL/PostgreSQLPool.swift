// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraSupport

/// Some connections, of which each piece of work gets the one with the least to do; none is opened before it is needed.
///
/// A piece of work is a statement, or one short transaction: nobody holds a connection.
final class PostgreSQLPool: Sendable {
    private let connections: [PostgreSQLConnection]
    /// How many pieces each of them has to do.
    private let waiting: Mutex<[Int]>

    init(
        _ address: PostgreSQLAddress,
        size: Int,
        timeout: Duration,
        greeting: @escaping @Sendable (inout Link) throws -> Void
    ) {
        self.connections = (0..<max(1, size))
            .map { _ in PostgreSQLConnection(address: address, timeout: timeout, greeting: greeting) }
        self.waiting = Mutex(Array(repeating: 0, count: max(1, size)))
    }

    /// Runs `work`, which must be the same when it is done twice.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (inout Link) throws -> Result
    ) async throws -> Result {
        let index = self.waiting.withLock { waiting in
            let index = waiting.indices.min { waiting[$0] < waiting[$1] } ?? 0
            waiting[index] += 1
            return index
        }
        defer { self.waiting.withLock { $0[index] -= 1 } }
        return try await self.connections[index].run(work)
    }

    /// Rows of one statement.
    func rows(_ statement: SQLStatement, _ values: [SQLValue]) async throws -> [[SQLValue]] {
        try await self.run { link in try link.run(statement, values) }
    }
}

/// A connection and the queue on which it blocks.
///
/// It closes with the last reference to it.
final class PostgreSQLConnection: Sendable {
    private let link: Mutex<Link>
    private let executor = BlockingExecutor()
    /// What every new connection does first.
    private let greeting: @Sendable (inout Link) throws -> Void

    init(
        address: PostgreSQLAddress,
        timeout: Duration,
        greeting: @escaping @Sendable (inout Link) throws -> Void
    ) {
        self.link = Mutex(Link(address: address, timeout: timeout))
        self.greeting = greeting
    }

    /// Runs `work` on an open connection.
    ///
    /// One that was open before and turns out to be lost is opened again, and `work` runs again: what it does must be
    /// the same when it is done twice.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (inout Link) throws -> Result
    ) async throws -> Result {
        try await self.executor.run {
            try self.link.withLock { link in
                if link.isOpen {
                    do {
                        return try work(&link)
                    } catch StoreError.Code.unreachable {}
                }
                return try self.attempt(&link, work)
            }
        }
    }

    private func attempt<Result>(
        _ link: inout Link,
        _ work: (inout Link) throws -> Result
    ) throws -> Result {
        if try link.open() {
            do {
                try self.greeting(&link)
            } catch {
                link.close()
                throw error
            }
        }
        return try work(&link)
    }
}

/// What a connection's session on the server is set to, whatever the server's or the role's own defaults are.
struct SessionSettings: Sendable {
    var statementTimeout: Duration

    private static let statement = SQLStatement(
        """
        SELECT set_config('statement_timeout', $1::text, false),
            set_config('idle_in_transaction_session_timeout', $1::text, false),
            set_config('default_transaction_isolation', 'read committed', false),
            set_config('default_transaction_read_only', 'off', false),
            set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') = 'off'
                THEN 'on' ELSE current_setting('synchronous_commit') END, false)
        """
    )

    func apply(_ link: inout Link) throws {
        let milliseconds = Int64(self.statementTimeout / .milliseconds(1))
        _ = try link.run(Self.statement, [SQLValue("\(milliseconds)")])
    }
}
#endif
