// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraSupport

/// A pool of connections that assigns each unit of work to the least busy connection.
///
/// A connection is opened when it is first needed. A unit of work is a statement or a short transaction, so callers do
/// not hold connections.
final class PostgreSQLPool: Sendable {
    private let connections: LeastBusy<PostgreSQLConnection>

    convenience init(
        _ address: PostgreSQLAddress,
        size: Int,
        timeout: Duration,
        greeting: @escaping @Sendable (inout PostgreSQLLink) throws -> Void
    ) {
        self.init(
            (0..<max(1, size))
                .map { _ in PostgreSQLConnection(address: address, timeout: timeout, greeting: greeting) }
        )
    }

    init(_ connections: [PostgreSQLConnection]) { self.connections = LeastBusy(connections) }

    /// Runs `work`, which must be idempotent.
    ///
    /// - Parameters:
    ///   - isUrgent: Whether to run the work before other work, because a lease could expire.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: Any error that the work throws, or `StoreError` if no connection can be opened.
    func run<Result: Sendable>(
        isUrgent: Bool = false,
        _ work: @escaping @Sendable (inout PostgreSQLLink) throws -> Result
    ) async throws -> Result {
        try await self.connections.use { try await $0.run(isUrgent: isUrgent, work) }
    }

    /// Runs a single statement and returns its rows.
    func rows(
        _ statement: SQLStatement,
        _ values: [SQLValue],
        isUrgent: Bool = false
    ) async throws -> [[SQLValue]] {
        try await self.run(isUrgent: isUrgent) { link in try link.run(statement, values) }
    }
}

/// A connection, together with the executor on which it blocks.
///
/// The connection closes when its last reference is released.
final class PostgreSQLConnection: Sendable {
    private let link: Mutex<PostgreSQLLink>
    private let executor: BlockingExecutor
    /// The work that is done first on each new connection.
    private let greeting: @Sendable (inout PostgreSQLLink) throws -> Void

    convenience init(
        address: PostgreSQLAddress,
        timeout: Duration,
        greeting: @escaping @Sendable (inout PostgreSQLLink) throws -> Void
    ) {
        let link = PostgreSQLLink(address: address, timeout: timeout, server: nil)
        self.init(link, executor: BlockingExecutor(), greeting: greeting)
    }

    init(
        _ link: consuming sending PostgreSQLLink,
        executor: BlockingExecutor,
        greeting: @escaping @Sendable (inout PostgreSQLLink) throws -> Void
    ) {
        self.link = Mutex(link)
        self.executor = executor
        self.greeting = greeting
    }

    /// Runs `work` on an open connection.
    ///
    /// If an open connection turns out to have been lost, it is opened again and `work` is repeated. Therefore, `work`
    /// must be idempotent.
    func run<Result: Sendable>(
        isUrgent: Bool = false,
        _ work: @escaping @Sendable (inout PostgreSQLLink) throws -> Result
    ) async throws -> Result {
        try await self.executor.run(isUrgent: isUrgent) {
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
        _ link: inout PostgreSQLLink,
        _ work: (inout PostgreSQLLink) throws -> Result
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

/// The session settings for a connection, which override the defaults of the server and the role.
struct SessionSettings: Sendable {
    var statementTimeout: Duration

    // The statement is resolved before it is executed, so each name has its schema.
    private static let statement = SQLStatement(
        """
        SELECT pg_catalog.set_config('search_path', 'pg_catalog', false),
            pg_catalog.set_config('statement_timeout', $1::pg_catalog.text, false),
            pg_catalog.set_config('idle_in_transaction_session_timeout', $1::pg_catalog.text, false),
            pg_catalog.set_config('default_transaction_isolation', 'read committed', false),
            pg_catalog.set_config('default_transaction_read_only', 'off', false),
            pg_catalog.set_config('synchronous_commit', CASE
                WHEN pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off' THEN 'on'
                ELSE pg_catalog.current_setting('synchronous_commit') END, false)
        """
    )

    func apply(_ link: inout PostgreSQLLink) throws {
        let milliseconds = Int64(self.statementTimeout / .milliseconds(1))
        _ = try link.run(Self.statement, [SQLValue("\(milliseconds)")])
    }
}
#endif
