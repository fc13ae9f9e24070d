// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport
internal import Tessera

/// A lease that permits a process to update an account for a time that the server measures.
///
/// A lease is a row with a unique owner. No transaction, lock or connection is held between statements. If a process
/// dies, its row expires. The statements are idempotent, so a statement is sent again if its response is lost.
final class Lease: Sendable {
    let account: AccountKey
    /// The name of the owner, which changes when the lease is abandoned.
    private let owner: Mutex<[UInt8]>
    private let database: SessionTables
    /// The remaining time on the lease according to the local clock, which was started before the server's.
    private let timeout: Mutex<LockTimeout>
    /// The record that was last loaded or saved under this lease, or nil.
    private let stored = Mutex<SessionRecord?>(nil)

    private init(_ account: AccountKey, _ owner: [UInt8], _ database: SessionTables) {
        self.account = account
        self.owner = Mutex(owner)
        self.database = database
        self.timeout = Mutex(database.leaseTimeout())
    }

    /// Acquires the lease, waiting if necessary.
    ///
    /// - Throws: ``StoreError`` with the code `busy` if the lease cannot be acquired in time or `unreachable` if the
    ///   server cannot be reached, or `CancellationError`.
    static func take(_ account: AccountKey, in database: SessionTables, _ limit: LockTimeout) async throws -> Lease {
        let owner = Self.makeOwner()
        let restart = database.restartTimeout()
        for var pause in LockTimeout.pauses {
            let lease = Lease(account, owner, database)
            do {
                if try await !database.pool.rows(database.statements.take, lease.arguments()).isEmpty { return lease }
            } catch let error as StoreError where error.code == .unreachable {
                // The lease may have been acquired and the response lost, so the same owner tries again.
                guard restart.remains, limit.remains else {
                    await lease.release()
                    throw error
                }
                pause = SessionTables.pause(afterUnreachable: pause)
            } catch {
                await lease.release()
                throw error
            }
            guard limit.remains else { break }
            do {
                try await database.clock.sleep(for: pause)
            } catch {
                await lease.release()
                throw error
            }
        }
        throw StoreError(.busy, location: database.location)
    }

    private static func makeOwner() -> [UInt8] {
        (0..<2).flatMap { _ in BigEndian.bytes(of: UInt64.random(in: .min ... .max)) }
    }

    /// Renews the lease every third of its duration, until the task is canceled or another process holds the lease.
    func renewUntilCanceled() async {
        var pause = self.database.leaseDuration / 3
        while (try? await self.database.clock.sleep(for: pause)) != nil {
            let timeout = self.database.leaseTimeout()
            do {
                let renew = self.database.statements.renew
                if try await self.database.pool.rows(renew, self.arguments(), isUrgent: true).isEmpty { return }
                self.timeout.withLock { $0 = timeout }
                pause = self.database.leaseDuration / 3
            } catch {
                // The server may be reachable again before the lease expires.
                pause = self.database.leaseDuration / 30
            }
        }
    }

    /// Releases the lease.
    ///
    /// If the server is unreachable, the release is retried in the background until the lease expires.
    func release() async {
        let (statement, values) = (self.database.statements.release, Array(self.arguments().prefix(2)))
        let database = self.database
        do {
            _ = try await database.pool.rows(statement, values, isUrgent: true)
        } catch {
            _ = TaskExecutorInheritance.start {
                _ = try? await database.persistently(self.remainingTimeout) { link in
                    try link.run(statement, values)
                }
            }
        }
    }

    // MARK: Operations under the lease

    func load() async throws -> SessionRecord? {
        let row = try await self.database.persistently(self.remainingTimeout) {
            [statement = self.database.statements.load, account] link in
            try link.run(statement, [SQLValue(account.bytes)])
        }
        let record = try await self.database.open(row.first, of: self.account)
        self.stored.withLock { $0 = record }
        return record
    }

    func mark(_ mark: RefreshMark?) async throws {
        let location = self.database.location
        var record = self.stored.withLock { $0 }
        if record == nil { record = try await self.load() }
        guard var record else {
            // There is no record to mark, but fail if the lease was lost.
            return try Self.check(try await self.write(self.database.statements.renew), location)
        }
        let key = try await self.database.keysForWriting(self.remainingTimeout).current
        record.refreshMark = mark
        let sealed = try SealedRecord.sealRow(record, with: key, location: location)
        let rows = try await self.write(
            self.database.statements.mark,
            [SQLValue(key.id), SQLValue(sealed), SQLValue(record.generation)]
        )
        try Self.check(rows, location)
        guard rows.first?[1].isTrue == true else { throw StoreError.changedRecord(location: location) }
        self.stored.withLock { $0 = record }
    }

    /// Replaces the record, retrying while the server is unreachable or too slow, even after the lease has expired.
    ///
    /// The retries continue because the new tokens exist only in this process. A full disk is not retried, because it
    /// can remain full for longer than a caller should wait. The session saves the tokens at its next call.
    ///
    /// - Throws: ``StoreError`` with the code `leaseLost` if the stored record has changed since it was loaded here, or
    ///   `unreachable` if the server was unreachable for too long.
    func save(_ record: SessionRecord) async throws {
        let location = self.database.location
        let timeout = self.database.savingTimeout()
        guard AccountKey(record.account) == self.account else { throw StoreError.foreignRecord(location: location) }
        try StoredRow.check(record.account, location: location)
        let keys = try await self.database.keysForWriting { timeout }
        let sealed = try SealedRecord.sealRow(record, with: keys.current, location: location)
        let known = ([keys.current] + keys.former).map { Hexadecimal.text($0.id) }.joined(separator: ",")
        let values = [
            SQLValue(record.account.issuer), SQLValue(record.account.clientID), SQLValue(record.account.subject),
            SQLValue(record.generation), SQLValue(keys.current.id), SQLValue(sealed), SQLValue(known),
            SQLValue(self.stored.withLock { $0?.generation }),
        ]
        // A statement that the server canceled has written nothing.
        let retried: Set<StoreError.Code> = [.unreachable, .busy]
        var rows = try await self.write(self.database.statements.save, values, retrying: retried) { timeout }
        if rows.first?.first?.isTrue != true, try await self.recover(record, while: timeout) {
            rows = try await self.write(self.database.statements.save, values, retrying: retried) { timeout }
        }
        try Self.check(rows, location)
        guard rows.first?[1].isTrue == true else { throw try await self.database.saveFailure(self.account, keys) }
        self.stored.withLock { $0 = record }
    }

    func remove() async throws {
        try Self.check(try await self.write(self.database.statements.remove), self.database.location)
        self.stored.withLock { $0 = nil }
    }

    /// Acquires the lease again after another process has held it.
    ///
    /// - Returns: Whether the stored record is unchanged since it was loaded or saved here, or is `record`, because an
    ///   earlier attempt to save it was committed.
    private func recover(_ record: SessionRecord, while timeout: LockTimeout) async throws -> Bool {
        guard let loaded = self.stored.withLock({ $0 }) else { return false }
        let isUnchanged: Bool
        do {
            guard try await self.takeAgain(while: timeout) else { return false }
            let row = try await self.database.persistently(
                { timeout },
                { [statement = self.database.statements.load, account] link in
                    try link.run(statement, [SQLValue(account.bytes)])
                }
            )
            let found = try await self.database.open(row.first, of: self.account)
            // The encoding does not contain the mark, and rounds dates as the stored record does.
            let content = found?.encoded()
            // Another process may have marked a refresh, which matters as long as its refresh token remains in use.
            let isReplaced = record.tokens.map { $0.refreshToken != loaded.tokens?.refreshToken } ?? false
            let isMarked = !isReplaced && found?.refreshMark != loaded.refreshMark
            isUnchanged = content != nil && (content == loaded.encoded() && !isMarked || content == record.encoded())
        } catch {
            await self.abandon()
            throw error
        }
        if !isUnchanged { await self.abandon() }
        return isUnchanged
    }

    /// Releases a lease that was acquired again, so that nothing is written over a record that others have changed.
    private func abandon() async {
        await self.release()
        // The release may fail, and the next write must not depend on it.
        self.owner.withLock { $0 = Self.makeOwner() }
    }

    private func takeAgain(while timeout: LockTimeout) async throws -> Bool {
        let (statements, arguments) = (self.database.statements, self.arguments())
        for pause in LockTimeout.pauses {
            let lease = self.database.leaseTimeout()
            let rows = try await self.database.persistently(
                { timeout },
                { link in try link.run(statements.take, arguments) }
            )
            if !rows.isEmpty {
                self.timeout.withLock { $0 = lease }
                return true
            }
            guard timeout.remains else { return false }
            try await self.database.rest(for: pause)
        }
        return false
    }

    /// Runs a statement that also renews the lease, retrying while the server is unreachable.
    ///
    /// The retries end when the lease or the given timeout expires.
    private func write(
        _ statement: SQLStatement,
        _ values: [SQLValue] = [],
        retrying codes: Set<StoreError.Code> = [.unreachable],
        while timeout: (() -> LockTimeout)? = nil
    ) async throws -> [[SQLValue]] {
        let arguments = self.arguments() + values
        let (rows, timeout) = try await self.database.persistently(
            timeout ?? self.remainingTimeout,
            retrying: codes
        ) { [database] link in
            let timeout = database.leaseTimeout()
            return (try link.run(statement, arguments), timeout)
        }
        if rows.first?.first?.isTrue == true { self.timeout.withLock { $0 = timeout } }
        return rows
    }

    private func remainingTimeout() -> LockTimeout { self.timeout.withLock { $0 } }

    private func arguments() -> [SQLValue] {
        [SQLValue(self.account.bytes), SQLValue(self.owner.withLock { $0 }), SQLValue(self.database.leaseMilliseconds)]
    }

    private static func check(_ rows: [[SQLValue]], _ location: String) throws {
        guard rows.first?.first?.isTrue == true else {
            throw StoreError(.leaseLost, location: location, detail: "nothing was written")
        }
    }
}
#endif
