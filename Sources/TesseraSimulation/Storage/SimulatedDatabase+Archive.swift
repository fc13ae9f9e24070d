// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraPostgreSQL
internal import TesseraStores
internal import TesseraSupport

extension SimulatedDatabase {
    /// Executes a statement of a change of the key, or for values with an expiration time.
    ///
    /// - Returns: The rows, or nil for another statement.
    static func executeMaintenance(_ statement: SQLStatement, _ values: [SQLValue], _ state: inout State)
        -> [[SQLValue]]?
    {
        let first = values.first?.bytes ?? []
        switch statement.name {
        case "tessera_keep_transient":
            let end = Double(bitPattern: UInt64(bitPattern: values[2].integer ?? 0))
            state.transients[first] = (values[1].bytes ?? [], end)
            return []
        case "tessera_load_transient": return state.transients[first].map { [[SQLValue($0.content)]] } ?? []
        case "tessera_take_transient":
            return state.transients.removeValue(forKey: first).map { [[SQLValue($0.content)]] } ?? []
        default: break
        }
        if statement.sql.hasPrefix("SELECT account, issuer, client, subject, generation") {
            let after = values[1].bytes ?? []
            return state.rows.filter { after.lexicographicallyPrecedes($0.key) && $0.value.keyID != first }
                .sorted { $0.key.lexicographicallyPrecedes($1.key) }.prefix(Int(values[2].integer ?? 0))
                .map { key, row in [SQLValue(key)] + row.account + [SQLValue(row.generation), SQLValue(row.record)] }
        }
        if statement.sql.hasPrefix("UPDATE") {
            guard state.rows[first]?.record == values[1].bytes else { return [] }
            state.rows[first]?.record = values[2].bytes ?? []
            state.rows[first]?.keyID = values[3].bytes ?? []
            return [[SQLValue([1])]]
        }
        if statement.sql.hasPrefix("DELETE"), statement.sql.contains("end_at") {
            let now = Double(bitPattern: UInt64(bitPattern: values[0].integer ?? 0))
            state.transients = state.transients.filter { $0.value.end >= now }
            return []
        }
        return nil
    }

    func setForgetful(_ isForgetful: Bool) { self.state.withLock { $0.isForgetful = isForgetful } }

    /// Damages the row of an account, and returns whether there is one.
    func damage(_ account: AccountKey, _ other: AccountKey, _ damage: StorageDamage, at position: Int) -> Bool {
        self.state.withLock { state in
            guard var row = state.rows[account.bytes] else { return false }
            switch damage {
            case .alteredColumns: row.generation = row.generation.map { $0 + 1_000 }
            case .renamed: row.account[2] = SQLValue("someone else")
            case .missing:
                if position.isMultiple(of: 2) { row.generation = nil }
                row.account = [SQLValue](repeating: SQLValue(nil as Int64?), count: 3)
            case .unencryptedMark: row.mark = [SQLValue(0), SQLValue(row.generation)]
            default:
                row.record = damage.applied(to: row.record, other: state.rows[other.bytes]?.record, at: position)
            }
            state.rows[account.bytes] = row
            return true
        }
    }

    /// Replaces the row of an account by the one that an earlier version of the library would have written.
    ///
    /// - Returns: Whether there is a row that can be decrypted.
    func replaceByEarlierVersion(_ account: AccountKey, keys: StoreKeys, isMarked: Bool) -> Bool {
        self.state.withLock { state in
            guard var row = state.rows[account.bytes], let generation = row.generation,
                let sealed = try? SealedRecord(parsing: row.record, location: "the archive"),
                var record = try? sealed.open(with: keys, of: "the archive", location: "the archive")
            else { return false }
            record.refreshMark = nil
            guard let bytes = try? SealedRecord.seal(record, with: keys.current, location: "the archive") else {
                return false
            }
            (row.record, row.keyID) = (bytes, keys.current.id)
            if isMarked { row.mark = [SQLValue(0), SQLValue(generation)] }
            state.rows[account.bytes] = row
            return true
        }
    }
}
#endif
