// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera

/// A session in the form of a database row.
///
/// The record is encrypted. Other columns hold parts of its header in plaintext.
package struct StoredRow: Sendable {
    /// The account's key.
    package let account: AccountKey
    /// The generation from the row's own column.
    package let generation: Int64
    package let record: [UInt8]
    /// The refresh mark from the row's own columns, which only rows written by earlier versions have.
    package let mark: RefreshMark?

    package init(account: AccountKey, generation: Int64, record: [UInt8], mark: RefreshMark?) {
        self.account = account
        self.generation = generation
        self.record = record
        self.mark = mark
    }

    /// Returns the record with its refresh mark after verifying that it belongs to the account.
    ///
    /// - Throws: `StoreError` with the code `corrupt`, which includes columns that do not match the record,
    ///   `newerFormat` or `keyMissing`.
    package func open(with keys: StoreKeySource, location: String) throws -> SessionRecord {
        let sealed = try self.sealed(location: location)
        var record = try sealed.open(with: try keys.existing(), of: keys.location, location: location)
        if !sealed.holdsMark { record.refreshMark = self.mark }
        return record
    }

    /// Returns the record, encrypted again with the current key in its existing format.
    package func resealed(with keys: StoreKeys, of keyLocation: String, location: String) throws -> [UInt8] {
        let sealed = try self.sealed(location: location)
        let record = try sealed.open(with: keys, of: keyLocation, location: location)
        guard sealed.holdsMark else { return try SealedRecord.seal(record, with: keys.current, location: location) }
        return try SealedRecord.sealRow(record, with: keys.current, location: location)
    }

    private func sealed(location: String) throws -> SealedRecord {
        let sealed = try SealedRecord(parsing: self.record, location: location)
        if sealed.holdsMark, self.mark != nil {
            throw SealedRecord.damaged(location, "its row has a refresh mark that was not encrypted with the record")
        }
        guard AccountKey(sealed.account) == self.account else {
            throw SealedRecord.damaged(location, "it belongs to another account")
        }
        guard sealed.generation == self.generation else {
            throw SealedRecord.damaged(location, "its row and its encrypted contents belong to different sessions")
        }
        return sealed
    }

    /// Returns the accounts of rows in list order, given their identifiers and account keys.
    ///
    /// A row whose columns are inconsistent is skipped, so that it does not hide the other accounts. If no valid row
    /// remains, an error is thrown.
    package static func accounts(
        _ rows: [(account: Account, key: [UInt8])],
        location: String
    ) throws -> [Account] {
        let sound = rows.filter { AccountKey($0.account).bytes == $0.key }.map(\.account)
        if sound.isEmpty, !rows.isEmpty { throw SealedRecord.damaged(location, "its row names another account") }
        return sound.sorted(by: AccountKey.precedes)
    }

    /// - Throws: `StoreError` with the code `unavailable` if an identifier contains a zero byte, which databases cannot
    ///   store in text.
    package static func check(_ account: Account, location: String) throws {
        for text in [account.issuer, account.clientID, account.subject] where text.utf8.contains(0) {
            throw StoreError(.unavailable, location: location, detail: "an account identifier contains a zero byte")
        }
    }
}
