// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
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
    /// The generation of the record as it was last loaded or saved here, nil before.
    private let generation = Mutex<Int64?>(nil)

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
                _ = try? await database.persistently(self.whatIsLeft) { link throws(StoreError) in
                    try link.run(statement, values)
                }
            }
        }
    }

    // MARK: What the holder does

    func load() async throws -> SessionRecord? {
        let row = try await self.database.persistently(self.whatIsLeft) {
            [statement = self.database.statements.load, account] link throws(StoreError) in
            try link.run(statement, [SQLValue(account.bytes)])
        }
        let record = try await self.database.open(row.first, of: self.account)
        self.generation.withLock { $0 = record?.generation }
        return record
    }

    func mark(_ mark: RefreshMark?) async throws {
        if mark != nil { _ = try await self.database.keysForWriting(self.whatIsLeft) }
        let values = [SQLValue(mark?.begunAt.timeIntervalSinceReferenceDate), SQLValue(mark?.generation)]
        try Self.check(try await self.write(self.database.statements.mark, values), self.database.place)
    }

    func save(_ record: SessionRecord) async throws {
        let place = self.database.place
        guard AccountKey(record.account) == self.account else { throw StoreError.foreignRecord(place: place) }
        try StoredRow.check(record.account, place: place)
        let keys = try await self.database.keysForWriting(self.whatIsLeft)
        let sealed = try SealedRecord.seal(record, with: keys.current, place: place)
        let known = ([keys.current] + keys.former).map { Self.hexadecimal($0.id) }.joined(separator: ",")
        let rows = try await self.write(
            self.database.statements.save,
            [
                SQLValue(record.account.issuer), SQLValue(record.account.clientID), SQLValue(record.account.subject),
                SQLValue(record.generation), SQLValue(keys.current.id), SQLValue(sealed), SQLValue(known),
                SQLValue(self.generation.withLock { $0 }),
            ]
        )
        try Self.check(rows, place)
        guard rows.first?[1].isTrue == true else { throw try await self.database.whyNotSaved(self.account, keys) }
        self.generation.withLock { $0 = record.generation }
    }

    func remove() async throws {
        try Self.check(try await self.write(self.database.statements.remove), self.database.place)
        self.generation.withLock { $0 = nil }
    }

    /// Writes under the lease, which is renewed with it; again and again until the lease is over where the server is away.
    private func write(_ statement: SQLStatement, _ values: [SQLValue] = []) async throws -> [[SQLValue]] {
        let arguments = self.arguments() + values
        let (rows, patience) = try await self.database.persistently(self.whatIsLeft) {
            [database] link throws(StoreError) in
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

    private static func check(_ rows: [[SQLValue]], _ place: String) throws(StoreError) {
        guard rows.first?.first?.isTrue == true else {
            throw StoreError(.leaseLost, place: place, detail: "nothing was written")
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
#endif
