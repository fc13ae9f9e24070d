// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera

/// A session as a row of a database holds it: sealed, beside columns that say in clear what is in its header too.
package struct StoredRow: Sendable {
    /// The account's key.
    package let account: AccountKey
    /// What stands in the row's column.
    package let generation: Int64
    package let record: [UInt8]
    /// What is in the row's mark columns: only a row that an earlier version wrote has its mark there.
    package let mark: RefreshMark?

    package init(account: AccountKey, generation: Int64, record: [UInt8], mark: RefreshMark?) {
        self.account = account
        self.generation = generation
        self.record = record
        self.mark = mark
    }

    /// The record with its mark, proved to be this account's.
    ///
    /// - Throws: `corrupt`, also when columns and record disagree; `newerFormat`; `keyMissing`.
    package func open(with keys: StoreKeySource, place: String) throws -> SessionRecord {
        let sealed = try self.sealed(place: place)
        var record = try sealed.open(with: try keys.existing(), of: keys.place, place: place)
        if !sealed.holdsMark { record.refreshMark = self.mark }
        return record
    }

    /// The record sealed again with the current key, in the format that it has.
    package func resealed(with keys: StoreKeys, of keyPlace: String, place: String) throws -> [UInt8] {
        let sealed = try self.sealed(place: place)
        let record = try sealed.open(with: keys, of: keyPlace, place: place)
        guard sealed.holdsMark else { return try SealedRecord.seal(record, with: keys.current, place: place) }
        return try SealedRecord.seal(record, mark: record.refreshMark, with: keys.current, place: place)
    }

    private func sealed(place: String) throws -> SealedRecord {
        let sealed = try SealedRecord(parsing: self.record, upTo: SealedRecord.rowVersion, place: place)
        if sealed.holdsMark, self.mark != nil {
            throw SealedRecord.damaged(place, "its row has a refresh mark that was not sealed with the record")
        }
        guard AccountKey(sealed.account) == self.account else {
            throw SealedRecord.damaged(place, "it is another account's")
        }
        guard sealed.generation == self.generation else {
            throw SealedRecord.damaged(place, "its row and its contents are not of one session")
        }
        return sealed
    }

    /// The accounts of rows, by their identifiers and the keys that stand beside them, in the order of lists.
    ///
    /// A row whose columns disagree is an error where there is no other: it must not lock the other accounts out.
    package static func accounts(
        _ rows: [(account: Account, key: [UInt8])],
        place: String
    ) throws -> [Account] {
        let sound = rows.filter { AccountKey($0.account).bytes == $0.key }.map(\.account)
        if sound.isEmpty, !rows.isEmpty { throw SealedRecord.damaged(place, "its row names another account") }
        return sound.sorted(by: AccountKey.precedes)
    }

    /// - Throws: when an identifier has a zero byte, which databases do not keep in a text.
    package static func check(_ account: Account, place: String) throws {
        for text in [account.issuer, account.clientID, account.subject] where text.utf8.contains(0) {
            throw StoreError(.unavailable, place: place, detail: "an identifier of the account holds a zero byte")
        }
    }
}
