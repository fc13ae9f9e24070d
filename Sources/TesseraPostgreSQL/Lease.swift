// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import TesseraStores
internal import TesseraSupport
internal import Tessera

/// The right to update an account, for a time that the server measures.
///
/// It is a row with an owner of its own. Nothing is held between two statements: no transaction, no lock, no connection.
/// A process that dies leaves a row that runs out. The statements are the same when they are done twice, so one whose
/// answer was lost is sent again.
final class Lease: Sendable {
    let account: AccountKey
    private let owner: [UInt8]
    private let database: SessionTables
    /// How much longer the lease lasts, by our own clock, which started before the server's.
    private let patience: Mutex<Patience>
    /// The record as it was last loaded or saved here, nil before.
    private let stored = Mutex<SessionRecord?>(nil)

    private init(_ account: AccountKey, _ owner: [UInt8], _ database: SessionTables) {
        self.account = account
        self.owner = owner
        self.database = database
        self.patience = Mutex(database.leasePatience())
    }

    /// Waits for the lease.
    ///
    /// - Throws: ``StoreError`` `busy` when others have it for too long; `unreachable`; `CancellationError`.
    static func take(_ account: AccountKey, in database: SessionTables, _ limit: Patience) async throws -> Lease {
        let owner = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        let restart = database.restartPatience()
        for pause in Patience.pauses {
            let lease = Lease(account, owner, database)
            do {
                if try await !database.pool.rows(database.statements.take, lease.arguments()).isEmpty { return lease }
            } catch let error as StoreError where error.code == .unreachable {
                // Perhaps it was taken, and the answer was lost: the same owner asks again.
                guard restart.remains, limit.remains else {
                    await lease.release()
                    throw error
                }
            }
            guard limit.remains else { break }
            do {
                try await database.clock.sleep(for: pause)
            } catch {
                await lease.release()
                throw error
            }
        }
        throw StoreError(.busy, place: database.place)
    }

    /// Renews the lease at a third of its time, until the task is cancelled or the lease is somebody else's.
    func keep() async {
        var pause = self.database.leaseDuration / 3
        while (try? await self.database.clock.sleep(for: pause)) != nil {
            let patience = self.database.leasePatience()
            do {
                guard try await !self.database.pool.rows(self.database.statements.renew, self.arguments()).isEmpty
                else { return }
                self.patience.withLock { $0 = patience }
                pause = self.database.leaseDuration / 3
            } catch {
                // The server is away; it may be back before the lease is over.
                pause = self.database.leaseDuration / 30
            }
        }
    }

    /// Lets go of the account.
    ///
    /// Where the server does not answer this goes on in the background, until the lease has run out by itself.
    func release() async {
        let (statement, values) = (self.database.statements.release, Array(self.arguments().prefix(2)))
        let database = self.database
        do {
            _ = try await database.pool.rows(statement, values)
        } catch {
            Task {
                _ = try? await database.persistently(self.whatIsLeft) { link in
                    try link.run(statement, values)
                }
            }
        }
    }

    // MARK: What the holder does

    func load() async throws -> SessionRecord? {
        let row = try await self.database.persistently(self.whatIsLeft) {
            [statement = self.database.statements.load, account] link in
            try link.run(statement, [SQLValue(account.bytes)])
        }
        let record = try await self.database.open(row.first, of: self.account)
        self.stored.withLock { $0 = record }
        return record
    }

    func mark(_ mark: RefreshMark?) async throws {
        let place = self.database.place
        var record = self.stored.withLock { $0 }
        if record == nil { record = try await self.load() }
        guard let record else {
            // There is nothing to mark, but the lease must be ours to say so.
            return try Self.check(try await self.write(self.database.statements.renew), place)
        }
        let key = try await self.database.keysForWriting(self.whatIsLeft).current
        let sealed = try SealedRecord.seal(record, mark: mark, with: key, place: place)
        let rows = try await self.write(
            self.database.statements.mark,
            [SQLValue(key.id), SQLValue(sealed), SQLValue(record.generation)]
        )
        try Self.check(rows, place)
        guard rows.first?[1].isTrue == true else { throw StoreError.changedRecord(place: place) }
    }

    /// Replaces the record, and goes on trying while the server is away, also when the lease is over by then: nobody else
    /// has what is to be saved.
    ///
    /// - Throws: ``StoreError`` `leaseLost` when the stored record is no longer the one that was loaded here;
    ///   `unreachable` when the server stayed away for too long.
    func save(_ record: SessionRecord) async throws {
        let place = self.database.place
        let patience = self.database.savingPatience()
        guard AccountKey(record.account) == self.account else { throw StoreError.foreignRecord(place: place) }
        try StoredRow.check(record.account, place: place)
        let keys = try await self.database.keysForWriting { patience }
        let sealed = try SealedRecord.seal(record, mark: nil, with: keys.current, place: place)
        let known = ([keys.current] + keys.former).map { Hexadecimal.text($0.id) }.joined(separator: ",")
        let values = [
            SQLValue(record.account.issuer), SQLValue(record.account.clientID), SQLValue(record.account.subject),
            SQLValue(record.generation), SQLValue(keys.current.id), SQLValue(sealed), SQLValue(known),
            SQLValue(self.stored.withLock { $0?.generation }),
        ]
        var rows = try await self.write(self.database.statements.save, values, while: { patience })
        if rows.first?.first?.isTrue != true, try await self.recover(while: patience) {
            rows = try await self.write(self.database.statements.save, values, while: { patience })
        }
        try Self.check(rows, place)
        guard rows.first?[1].isTrue == true else { throw try await self.database.whyNotSaved(self.account, keys) }
        self.stored.withLock { $0 = record }
    }

    func remove() async throws {
        try Self.check(try await self.write(self.database.statements.remove), self.database.place)
        self.stored.withLock { $0 = nil }
    }

    /// Takes the lease again after another process has had it.
    ///
    /// - Returns: whether the stored record is still the one that was loaded here.
    private func recover(while patience: Patience) async throws -> Bool {
        guard var loaded = self.stored.withLock({ $0 }) else { return false }
        let (statements, arguments) = (self.database.statements, self.arguments())
        for pause in Patience.pauses {
            let lease = self.database.leasePatience()
            let rows = try await self.database.persistently(
                { patience },
                { link in try link.run(statements.take, arguments) }
            )
            if !rows.isEmpty {
                self.patience.withLock { $0 = lease }
                break
            }
            guard patience.remains else { return false }
            try await self.database.rest(for: pause)
        }
        let row = try await self.database.persistently(
            { patience },
            { [account] link in try link.run(statements.load, [SQLValue(account.bytes)]) }
        )
        guard var found = try await self.database.open(row.first, of: self.account) else { return false }
        (loaded.refreshMark, found.refreshMark) = (nil, nil)
        return found == loaded
    }

    /// Writes under the lease, which is renewed with it; while the server is away it is tried until the lease is over, or
    /// for as long as the caller says.
    private func write(
        _ statement: SQLStatement,
        _ values: [SQLValue] = [],
        while patience: (() -> Patience)? = nil
    ) async throws -> [[SQLValue]] {
        let arguments = self.arguments() + values
        let (rows, patience) = try await self.database.persistently(patience ?? self.whatIsLeft) {
            [database] link in
            let patience = database.leasePatience()
            return (try link.run(statement, arguments), patience)
        }
        if rows.first?.first?.isTrue == true { self.patience.withLock { $0 = patience } }
        return rows
    }

    private func whatIsLeft() -> Patience { self.patience.withLock { $0 } }

    private func arguments() -> [SQLValue] {
        [SQLValue(self.account.bytes), SQLValue(self.owner), SQLValue(self.database.leaseMilliseconds)]
    }

    private static func check(_ rows: [[SQLValue]], _ place: String) throws {
        guard rows.first?.first?.isTrue == true else {
            throw StoreError(.leaseLost, place: place, detail: "nothing was written")
        }
    }
}
#endif
