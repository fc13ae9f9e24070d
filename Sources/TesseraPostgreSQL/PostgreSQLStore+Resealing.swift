// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraStores

extension PostgreSQLStore {
    /// Seals with the current key every record that a former one sealed, while programs go on.
    ///
    /// A record that is saved meanwhile stays as it was saved. To change a key: give every program the new key as a
    /// former one, then make it the current one, call this once, and then drop the old key.
    ///
    /// - Parameter batch: how many records are read at a time, at least one.
    /// - Returns: how many records were sealed anew.
    /// - Throws: `StoreError` of the first record that cannot be opened, after all the others; `unreachable`.
    public func reseal(batch: Int = 100) async throws -> Int {
        let patience = self.tables.restartPatience()
        let keys = try await self.tables.keysForWriting { patience }
        var moved = 0
        var last: [UInt8] = []
        var failure: StoreError?
        while true {
            let rows = try await self.tables.pool.rows(
                self.tables.statements.others,
                [SQLValue(keys.current.id), SQLValue(last), SQLValue(Int64(max(1, batch)))]
            )
            for row in rows {
                do {
                    if try await self.reseal(row, keys) { moved += 1 }
                } catch let error as StoreError where error.code != .unreachable {
                    failure = failure ?? error
                }
            }
            guard let next = rows.last?.first?.bytes else { break }
            last = next
        }
        if let failure { throw failure }
        return moved
    }

    private func reseal(_ row: [SQLValue], _ keys: StoreKeys) async throws -> Bool {
        let place = self.tables.place
        guard let generation = row[4].integer, let record = row[5].bytes else {
            throw SealedRecord.damaged(place, "its row holds what cannot be")
        }
        let account = Account(issuer: row[1].text ?? "", clientID: row[2].text ?? "", subject: row[3].text ?? "")
        let stored = StoredRow(account: AccountKey(account), generation: generation, record: record, mark: nil)
        let sealed = try stored.resealed(with: keys, of: self.tables.keys.place, place: place)
        // The bytes tell whether it is still the record that was read: a generation can be saved twice.
        let rows = try await self.tables.pool.rows(
            self.tables.statements.reseal,
            [row[0], SQLValue(record), SQLValue(sealed), SQLValue(keys.current.id)]
        )
        return !rows.isEmpty
    }
}
#endif
