// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import TesseraSupport
internal import Tessera

/// A connection and the queue on which it blocks.
///
/// It closes with the last reference to it.
final class PostgreSQLConnection: Sendable {
    private let link: Mutex<Link>
    private let executor = BlockingExecutor()
    /// What every new connection does first.
    private let greeting: @Sendable (inout Link) throws(StoreError) -> Void

    init(
        address: PostgreSQLAddress,
        timeout: Duration,
        greeting: @escaping @Sendable (inout Link) throws(StoreError) -> Void
    ) {
        self.link = Mutex(Link(address: address, timeout: timeout))
        self.greeting = greeting
    }

    /// Runs `work` on an open connection.
    ///
    /// One that was open before and turns out to be lost is opened again, and `work` runs again: what it does must be
    /// the same when it is done twice.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (inout Link) throws(StoreError) -> Result
    ) async throws -> Result {
        try await self.executor.run {
            try self.link.withLock { link throws(StoreError) in
                if link.isOpen {
                    do throws(StoreError) {
                        return try work(&link)
                    } catch {
                        guard error.code == .unreachable else { throw error }
                    }
                }
                return try self.attempt(&link, work)
            }
        }
    }

    private func attempt<Result>(
        _ link: inout Link,
        _ work: (inout Link) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
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
#endif
