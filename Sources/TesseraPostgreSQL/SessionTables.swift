// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport

/// A store's tables, with the connections, keys and durations needed to use them.
struct SessionTables: Sendable {
    let pool: PostgreSQLPool
    let statements: Statements
    let keys: StoreKeySource
    let location: String
    let clock: any Clock<Duration>
    let leaseDuration: Duration
    /// Runs blocking reads of key files.
    private let executor = BlockingExecutor()

    var leaseMilliseconds: Int64 { Int64(self.leaseDuration / .milliseconds(1)) }

    /// Returns a timeout that lasts as long as a lease that is acquired or renewed now.
    func leaseTimeout() -> LockTimeout { LockTimeout(self.clock, for: self.leaseDuration) }

    /// Returns how long to retry a save while the server is unreachable.
    func savingTimeout() -> LockTimeout { LockTimeout(self.clock, for: max(self.leaseDuration, Self.savingDuration)) }

    /// The retry duration, which is longer than a server's restart or failover.
    static let savingDuration = Duration.seconds(600)

    /// Returns how long to wait for an unreachable server before an update has started.
    func restartTimeout() -> LockTimeout { LockTimeout(self.clock, for: self.leaseDuration / 3) }

    /// Runs `work`, and retries it after a pause while it fails with one of the codes and `timeout` has not expired.
    ///
    /// Canceling the task does not stop the retries, so that tokens that were already obtained are saved. The work runs
    /// before reads that are waiting for a connection.
    func persistently<Result: Sendable>(
        _ timeout: () -> LockTimeout,
        retrying codes: Set<StoreError.Code> = [.unreachable],
        _ work: @escaping @Sendable (inout PostgreSQLLink) throws -> Result
    ) async throws -> Result {
        for pause in LockTimeout.pauses {
            do {
                return try await self.pool.run(isUrgent: true, work)
            } catch let error as StoreError where codes.contains(error.code) {
                guard timeout().remains else { throw error }
            }
            try await self.rest(for: Self.pause(afterUnreachable: pause))
        }
        throw StoreError(.unreachable, location: self.location)
    }

    /// Returns the pause before an unreachable server is tried again, which is a second at most.
    ///
    /// It is longer than the pause before the next attempt to acquire a lease, so that a server that restarts is not
    /// flooded with connections.
    static func pause(afterUnreachable pause: Duration) -> Duration { pause * 16 }

    /// Sleeps for the duration even if the task is canceled.
    func rest(for pause: Duration) async throws {
        let clock = self.clock
        try await TaskExecutorInheritance.start { try await clock.sleep(for: pause) }.value
    }

    // MARK: Rows

    func open(_ row: [SQLValue]?, of account: AccountKey) async throws -> SessionRecord? {
        guard let row else { return nil }
        guard row.count == 4, let generation = row[0].integer, let record = row[1].bytes else {
            throw SealedRecord.damaged(self.location, "its row is malformed")
        }
        let mark: RefreshMark? =
            if let time = row[2].double, let generation = row[3].integer {
                RefreshMark(begunAt: Date(timeIntervalSinceReferenceDate: time), generation: generation)
            } else { nil }
        let stored = StoredRow(account: account, generation: generation, record: record, mark: mark)
        if case .given = self.keys { return try stored.open(with: self.keys, location: self.location) }
        return try await self.executor.run { [keys, location] in try stored.open(with: keys, location: location) }
    }

    func accounts() async throws -> [Account] {
        let rows = try await self.pool.rows(self.statements.list, [])
        let accounts = rows.map { row in
            (
                Account(issuer: row[1].text ?? "", clientID: row[2].text ?? "", subject: row[3].text ?? ""),
                row[0].bytes ?? []
            )
        }
        return try StoredRow.accounts(accounts, location: self.location)
    }

    /// Returns why a record was not replaced even though this process held the lease.
    func saveFailure(_ account: AccountKey, _ keys: StoreKeys) async throws -> StoreError {
        let rows = try await self.pool.rows(self.statements.keyID, [SQLValue(account.bytes)])
        guard let id = rows.first?.first?.bytes, keys.key(id) == nil else {
            return StoreError.changedRecord(location: self.location)
        }
        return StoreError(
            .keyMissing,
            location: self.keys.location,
            detail: "the record in \(self.location) was encrypted with a different key"
        )
    }

    // MARK: Keys

    /// Returns the keys for reading records.
    func keysForReading() async throws -> StoreKeys {
        if case .given(let keys) = self.keys { return keys }
        return try await self.executor.run { [keys] in try keys.existing() }
    }

    /// Returns the keys for writing records.
    ///
    /// The server is queried only if there is no key file yet. An unreachable server is retried until `timeout`
    /// expires.
    func keysForWriting(_ timeout: () -> LockTimeout) async throws -> StoreKeys {
        if case .given(let keys) = self.keys { return keys }
        do {
            return try await self.executor.run { [keys] in try keys.existing() }
        } catch StoreError.Code.keyMissing {
            let rows = try await self.persistently(timeout) { [statements] link in
                try link.run(statements.anyRecord)
            }
            let hasRecords = rows.first?.first?.isTrue == true
            return try await self.executor.run { [keys] in
                try keys.forWriting { hasRecords }
            }
        }
    }
}
#endif
