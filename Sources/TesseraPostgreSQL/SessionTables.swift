// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraStores
internal import TesseraSupport

/// A store's tables on the server, and what it takes to use them.
struct SessionTables: Sendable {
    let pool: PostgreSQLPool
    let statements: Statements
    let keys: StoreKeySource
    let place: String
    let clock: any Clock<Duration>
    let leaseDuration: Duration
    /// Where key files are read.
    private let executor = BlockingExecutor()

    init(
        pool: PostgreSQLPool,
        statements: Statements,
        keys: StoreKeySource,
        place: String,
        clock: any Clock<Duration>,
        leaseDuration: Duration
    ) {
        self.pool = pool
        self.statements = statements
        self.keys = keys
        self.place = place
        self.clock = clock
        self.leaseDuration = leaseDuration
    }

    var leaseMilliseconds: Int64 { Int64(self.leaseDuration / .milliseconds(1)) }

    /// As long as a lease that is taken or renewed now.
    func leasePatience() -> Patience { Patience(self.clock, for: self.leaseDuration) }

    /// How long a save is tried for while the server is away.
    func savingPatience() -> Patience { Patience(self.clock, for: max(self.leaseDuration, Self.savingDuration)) }

    /// Longer than a restart or a failover takes.
    static let savingDuration = Duration.seconds(600)

    /// How long a server that is away is waited for before anything was begun.
    func restartPatience() -> Patience { Patience(self.clock, for: self.leaseDuration / 3) }

    /// Runs `work`, and again after a pause while the server does not answer and `patience` remains.
    ///
    /// Cancellation does not cut it short: what was obtained is to be saved.
    func persistently<Result: Sendable>(
        _ patience: () -> Patience,
        _ work: @escaping @Sendable (inout Link) throws -> Result
    ) async throws -> Result {
        for pause in Patience.pauses {
            do {
                return try await self.pool.run(work)
            } catch let error as StoreError where error.code == .unreachable {
                guard patience().remains else { throw error }
            }
            try await self.rest(for: pause * 4)
        }
        throw StoreError(.unreachable, place: self.place)
    }

    /// Waits; cancellation does not cut it short.
    func rest(for pause: Duration) async throws {
        let clock = self.clock
        try await Task { try await clock.sleep(for: pause) }.value
    }

    // MARK: Rows

    func open(_ row: [SQLValue]?, of account: AccountKey) async throws -> SessionRecord? {
        guard let row else { return nil }
        guard row.count == 4, let generation = row[0].integer, let record = row[1].bytes else {
            throw SealedRecord.damaged(self.place, "its row holds what cannot be")
        }
        let mark: RefreshMark? =
            if let time = row[2].double, let generation = row[3].integer {
                RefreshMark(begunAt: Date(timeIntervalSinceReferenceDate: time), generation: generation)
            } else { nil }
        let stored = StoredRow(account: account, generation: generation, record: record, mark: mark)
        if case .given = self.keys { return try stored.open(with: self.keys, place: self.place) }
        return try await self.executor.run { [keys, place] in try stored.open(with: keys, place: place) }
    }

    func accounts() async throws -> [Account] {
        let rows = try await self.pool.rows(self.statements.list, [])
        let accounts = rows.map { row in
            (
                Account(issuer: row[1].text ?? "", clientID: row[2].text ?? "", subject: row[3].text ?? ""),
                row[0].bytes ?? []
            )
        }
        return try StoredRow.accounts(accounts, place: self.place)
    }

    /// Why a lease that was ours did not let a record be replaced.
    func whyNotSaved(_ account: AccountKey, _ keys: StoreKeys) async throws -> StoreError {
        let rows = try await self.pool.rows(self.statements.keyID, [SQLValue(account.bytes)])
        guard let id = rows.first?.first?.bytes, keys.key(id) == nil else {
            return StoreError.changedRecord(place: self.place)
        }
        return StoreError(
            .keyMissing,
            place: self.keys.place,
            detail: "another key than these sealed the record in \(self.place)"
        )
    }

    // MARK: Keys

    /// The keys that open.
    func keysForReading() async throws -> StoreKeys {
        if case .given(let keys) = self.keys { return keys }
        return try await self.executor.run { [keys] in try keys.existing() }
    }

    /// The keys that seal.
    ///
    /// The server is asked only where there is no key file yet, and waited for while `patience` remains.
    func keysForWriting(_ patience: () -> Patience) async throws -> StoreKeys {
        if case .given(let keys) = self.keys { return keys }
        do {
            return try await self.executor.run { [keys] in try keys.existing() }
        } catch StoreError.Code.keyMissing {
            let rows = try await self.persistently(patience) { [statements] link in
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
