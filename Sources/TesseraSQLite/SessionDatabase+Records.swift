// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import GRDB
internal import Tessera
internal import TesseraStores
internal import TesseraSupport

/// Reading takes a snapshot; writing is one transaction, durable when it returns.
extension SessionDatabase {
    /// What is reserved next to the database: space for several records, as they are in the write-ahead log, and for
    /// removing one.
    static let reserve: Int64 = 1 << 20

    /// The record as it was last saved, with the mark of a refresh that was begun since.
    func read(_ account: AccountKey, in access: DatabaseAccess) throws -> SessionRecord? {
        let row = try self.translating { try access.read { database in try Self.row(of: account, in: database) } }
        guard let row else { return nil }
        return try self.stored(row, of: account).open(with: self.keys, place: self.path)
    }

    /// Every account that has a record.
    func accounts(in access: DatabaseAccess) throws -> [Account] {
        let rows = try self.translating {
            try access.read { database in
                try Row.fetchAll(database, sql: "SELECT account, issuer, client, subject FROM session")
            }
        }
        let accounts = rows.map { row in
            let key = Data.fromDatabaseValue(row["account"]) ?? Data()
            let texts = ["issuer", "client", "subject"].map { String.fromDatabaseValue(row[$0]) ?? "" }
            return (Account(issuer: texts[0], clientID: texts[1], subject: texts[2]), Array(key))
        }
        return try StoredRow.accounts(accounts, place: self.path)
    }

    /// Replaces the record and clears the mark.
    func write(_ record: SessionRecord, of account: AccountKey, in access: DatabaseAccess) throws {
        try StoredRow.check(record.account, place: self.path)
        let keys = try self.keysForWriting(access)
        let sealed = try SealedRecord.seal(record, mark: nil, with: keys.current, place: self.path)
        let (key, text) = (Data(account.bytes), record.account)
        try self.sparing {
            try access.write { database in
                try self.checkKey(of: key, keys, in: database)
                try database.execute(
                    sql: """
                        INSERT INTO session (account, issuer, client, subject, generation, key_id, record)
                        VALUES (?, ?, ?, ?, ?, ?, ?)
                        ON CONFLICT (account) DO UPDATE SET
                            issuer = excluded.issuer, client = excluded.client, subject = excluded.subject,
                            generation = excluded.generation, key_id = excluded.key_id, record = excluded.record,
                            mark_begun_at = NULL, mark_generation = NULL, updated_at = excluded.updated_at
                        """,
                    arguments: [
                        key, text.issuer, text.clientID, text.subject, record.generation, Data(keys.current.id),
                        Data(sealed),
                    ]
                )
            }
        }
    }

    /// Seals the record again, with the mark, and reserves space for the next record; nil takes the mark back.
    func write(_ mark: RefreshMark?, of account: AccountKey, in access: DatabaseAccess) throws {
        guard let mark else { return try self.sparing { try self.seal(nil, of: account, in: access) } }
        _ = try self.keysForWriting(access)
        try StoreError.mapping(FileSystem.reserve(Self.reserve, at: self.reservePath))
        try self.translating { try self.seal(mark, of: account, in: access) }
    }

    private func seal(_ mark: RefreshMark?, of account: AccountKey, in access: DatabaseAccess) throws {
        try access.write { database in
            guard let row = try Self.row(of: account, in: database) else { return }
            let record = try self.stored(row, of: account).open(with: self.keys, place: self.path)
            let key = try self.keys.existing().current
            let sealed = try SealedRecord.seal(record, mark: mark, with: key, place: self.path)
            try database.execute(
                sql: """
                    UPDATE session SET key_id = ?, record = ?, mark_begun_at = NULL, mark_generation = NULL
                    WHERE account = ?
                    """,
                arguments: [Data(key.id), Data(sealed), Data(account.bytes)]
            )
        }
    }

    private static func row(of account: AccountKey, in database: Database) throws -> Row? {
        try Row.fetchOne(
            database,
            sql: "SELECT generation, record, mark_begun_at, mark_generation FROM session WHERE account = ?",
            arguments: [Data(account.bytes)]
        )
    }

    /// Removes the record, readable or not.
    func remove(_ account: AccountKey, in access: DatabaseAccess) throws {
        try self.sparing {
            try access.write { database in
                try database.execute(sql: "DELETE FROM session WHERE account = ?", arguments: [Data(account.bytes)])
            }
        }
    }

    /// Goes all the way of a save with something of a session's size.
    func probe(_ access: DatabaseAccess) throws {
        _ = try self.keysForWriting(access)
        let bytes = Data((0..<8192).map { _ in UInt8.random(in: .min ... .max) })
        try self.translating {
            try access.write { database in
                try database.execute(sql: "DELETE FROM probe")
                try database.execute(sql: "INSERT INTO probe (bytes) VALUES (?)", arguments: [bytes])
            }
            let read = try access.read { try Data.fetchOne($0, sql: "SELECT bytes FROM probe") }
            guard read == bytes else {
                throw StoreError(.notKept, place: self.path)
            }
            try access.write { try $0.execute(sql: "DELETE FROM probe") }
        }
    }

    func keysForWriting(_ access: DatabaseAccess) throws -> StoreKeys {
        try self.keys.forWriting {
            try self.translating {
                try access.read { try Row.fetchOne($0, sql: "SELECT 1 FROM session LIMIT 1") != nil }
            }
        }
    }

    func stored(_ row: Row, of account: AccountKey) throws -> StoredRow {
        guard let generation = Int64.fromDatabaseValue(row["generation"]),
            let record = Data.fromDatabaseValue(row["record"])
        else { throw SealedRecord.damaged(self.path, "its row holds what cannot be") }
        let mark: RefreshMark? =
            if let time = Double.fromDatabaseValue(row["mark_begun_at"]),
                let generation = Int64.fromDatabaseValue(row["mark_generation"])
            {
                RefreshMark(begunAt: Date(timeIntervalSinceReferenceDate: time), generation: generation)
            } else { nil }
        return StoredRow(account: account, generation: generation, record: Array(record), mark: mark)
    }

    /// A record that none of our keys opens is somebody else's business: it is not overwritten.
    private func checkKey(of account: Data, _ keys: StoreKeys, in database: Database) throws {
        let sql = "SELECT key_id FROM session WHERE account = ?"
        if let id = try Data.fetchOne(database, sql: sql, arguments: [account]), keys.key(Array(id)) == nil {
            throw StoreError(
                .keyMissing,
                place: self.keys.place,
                detail: "another key than these sealed the record in \(self.path)"
            )
        }
    }

    /// Runs `work`, and again with the reserved space where the disk is full.
    private func sparing(_ work: () throws -> Void) throws {
        do {
            try self.translating(work)
        } catch let error as StoreError where error.code == .full {
            try StoreError.mapping(FileSystem.release(self.reservePath))
            try self.translating(work)
        }
    }
}

extension SessionDatabase {
    /// What a step through the records did.
    struct ResealingStep: Sendable {
        var moved = 0
        /// The first record that could not be opened.
        var failure: StoreError?
        /// Where the next step begins, nil at the end.
        var last: [UInt8]?
    }

    /// Seals with the current key the next records that another one sealed.
    ///
    /// A record that changed since it was read is left alone: whoever changed it sealed it.
    func reseal(after account: [UInt8], limit: Int, in access: DatabaseAccess) throws -> ResealingStep {
        let keys = try self.keys.existing()
        let rows = try self.translating {
            try access.read { database in
                try Row.fetchAll(
                    database,
                    sql: """
                        SELECT account, issuer, client, subject, generation, record, mark_begun_at, mark_generation FROM session
                        WHERE key_id <> ? AND account > ? ORDER BY account LIMIT ?
                        """,
                    arguments: [Data(keys.current.id), Data(account), limit]
                )
            }
        }
        var step = ResealingStep()
        for row in rows {
            guard let key = Data.fromDatabaseValue(row["account"]) else { continue }
            step.last = Array(key)
            do {
                if try self.reseal(row, key, keys, in: access) { step.moved += 1 }
            } catch let error as StoreError {
                step.failure = step.failure ?? error
            }
        }
        return step
    }

    /// Whether the record of a row that was read was sealed anew.
    func reseal(_ row: Row, _ key: Data, _ keys: StoreKeys, in access: DatabaseAccess) throws -> Bool {
        let texts = ["issuer", "client", "subject"].map { String.fromDatabaseValue(row[$0]) ?? "" }
        let account = AccountKey(Account(issuer: texts[0], clientID: texts[1], subject: texts[2]))
        let stored = try self.stored(row, of: account)
        let sealed = try stored.resealed(with: keys, of: self.keys.place, place: self.path)
        return try self.translating {
            try access.write { database in
                try database.execute(
                    sql: "UPDATE session SET record = ?, key_id = ? WHERE account = ? AND record = ?",
                    arguments: [Data(sealed), Data(keys.current.id), key, Data(stored.record)]
                )
                return database.changesCount == 1
            }
        }
    }
}
#endif
