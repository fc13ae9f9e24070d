// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import GRDB
internal import Tessera
internal import TesseraStores

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
    func reseal(after account: [UInt8], limit: Int, in access: DatabaseAccess) throws(StoreError) -> ResealingStep {
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
            do throws(StoreError) {
                if try self.reseal(row, key, keys, in: access) { step.moved += 1 }
            } catch {
                step.failure = step.failure ?? error
            }
        }
        return step
    }

    /// Whether the record of a row that was read was sealed anew.
    func reseal(_ row: Row, _ key: Data, _ keys: StoreKeys, in access: DatabaseAccess) throws(StoreError) -> Bool {
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
