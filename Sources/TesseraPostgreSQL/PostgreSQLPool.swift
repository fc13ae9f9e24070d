// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import TesseraSupport
internal import Tessera

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
        greeting: @escaping @Sendable (inout Link) throws(StoreError) -> Void
    ) {
        self.connections = (0..<max(1, size))
            .map { _ in PostgreSQLConnection(address: address, timeout: timeout, greeting: greeting) }
        self.waiting = Mutex(Array(repeating: 0, count: max(1, size)))
    }

    /// Runs `work`, which must be the same when it is done twice.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (inout Link) throws(StoreError) -> Result
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
        try await self.run { link throws(StoreError) in try link.run(statement, values) }
    }
}
#endif
