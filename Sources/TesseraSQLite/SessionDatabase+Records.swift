// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import GRDB
internal import Tessera
internal import TesseraStores
internal import TesseraSupport

/// Each read uses a snapshot. Each write is a transaction that is durable when it returns.
extension SessionDatabase {
    /// The number of bytes to reserve next to the database.
    ///
    /// The space is enough for several records in the write-ahead log and for removing one.
    static let reserve: Int64 = 1 << 20

    /// Returns the last saved record, with the mark of a refresh that has started since.
    func read(_ account: AccountKey, in access: DatabaseAccess) throws -> SessionRecord? {
        let row = try self.translating { try access.read { database in try Self.row(of: account, in: database) } }
        guard let row else { return nil }
        return try self.stored(row, of: account).open(with: self.keys, location: self.path)
    }

    /// Returns every account that has a record.
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
        return try StoredRow.accounts(accounts, location: self.path)
    }

    /// Replaces the record and the mark.
    func write(_ record: SessionRecord, of account: AccountKey, in access: DatabaseAccess) throws {
        try StoredRow.check(record.account, location: self.path)
        let keys = try self.keysForWriting(access)
        let sealed = try SealedRecord.sealRow(record, with: keys.current, location: self.path)
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

    /// Saves the record with a mark and reserves space for the next record, or removes the mark if it is nil.
    func write(_ mark: RefreshMark?, of account: AccountKey, in access: DatabaseAccess) throws {
        guard let mark else { return try self.sparing { try self.seal(nil, of: account, in: access) } }
        _ = try self.keysForWriting(access)
        try StoreError.mapping(FileSystem.reserve(Self.reserve, at: self.reservePath))
        try self.translating { try self.seal(mark, of: account, in: access) }
    }

    private func seal(_ mark: RefreshMark?, of account: AccountKey, in access: DatabaseAccess) throws {
        try access.write { database in
            guard let row = try Self.row(of: account, in: database) else { return }
            var record = try self.stored(row, of: account).open(with: self.keys, location: self.path)
            record.refreshMark = mark
            let key = try self.keys.existing().current
            let sealed = try SealedRecord.sealRow(record, with: key, location: self.path)
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

    /// Removes the record, even if it cannot be read.
    func remove(_ account: AccountKey, in access: DatabaseAccess) throws {
        try self.sparing {
            try access.write { database in
                try database.execute(sql: "DELETE FROM session WHERE account = ?", arguments: [Data(account.bytes)])
            }
        }
    }

    /// Performs every step of a save with data the size of a typical record.
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
                throw StoreError(.notPersisted, location: self.path)
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
        else { throw SealedRecord.damaged(self.path, "its row is malformed") }
        let mark: RefreshMark? =
            if let time = Double.fromDatabaseValue(row["mark_begun_at"]),
                let generation = Int64.fromDatabaseValue(row["mark_generation"])
            {
                RefreshMark(begunAt: Date(timeIntervalSinceReferenceDate: time), generation: generation)
            } else { nil }
        return StoredRow(account: account, generation: generation, record: Array(record), mark: mark)
    }

    /// Throws an error instead of overwriting a record that none of the keys can decrypt.
    private func checkKey(of account: Data, _ keys: StoreKeys, in database: Database) throws {
        let sql = "SELECT key_id FROM session WHERE account = ?"
        if let id = try Data.fetchOne(database, sql: sql, arguments: [account]), keys.key(Array(id)) == nil {
            throw StoreError(
                .keyMissing,
                location: self.keys.location,
                detail: "the record in \(self.path) was encrypted with a different key"
            )
        }
    }

    /// Runs `work`, and retries it with the reserved space if the disk is full.
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
    /// The result of one step of ``reseal(after:limit:in:)``.
    struct ResealingStep: Sendable {
        var moved = 0
        /// The error for the first record that could not be decrypted.
        var failure: StoreError?
        /// The account after which to continue, or nil at the end.
        var last: [UInt8]?
    }

    /// Encrypts the next records that use a former key with the current key.
    ///
    /// A record that has changed since it was read is skipped, because saving it has already encrypted it again.
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

    /// Encrypts the record in a row with the current key, and returns whether the row was still unchanged.
    func reseal(_ row: Row, _ key: Data, _ keys: StoreKeys, in access: DatabaseAccess) throws -> Bool {
        let texts = ["issuer", "client", "subject"].map { String.fromDatabaseValue(row[$0]) ?? "" }
        let account = AccountKey(Account(issuer: texts[0], clientID: texts[1], subject: texts[2]))
        let stored = try self.stored(row, of: account)
        let sealed = try stored.resealed(with: keys, of: self.keys.location, location: self.path)
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
