// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Where a database's keys come from.
package enum StoreKeySource: Sendable {
    /// The caller has them.
    case given(StoreKeys)
    /// The one key of a file, made at first use.
    case file(KeyFile)

    /// What an error names.
    package var place: String {
        switch self {
        case .given: "the keys that were given"
        case .file(let file): file.path
        }
    }

    /// The keys that open records.
    ///
    /// Blocks for a file.
    ///
    /// - Throws: `keyMissing`, and what reading the file throws.
    package func existing() throws(StoreError) -> StoreKeys {
        switch self {
        case .given(let keys): return keys
        case .file(let file):
            guard let key = try file.read() else { throw StoreError(.keyMissing, place: file.path) }
            return StoreKeys(key)
        }
    }

    /// The keys that seal; a new one only where there is no record that needs an old one.
    ///
    /// Blocks for a file.
    ///
    /// - Parameter hasRecords: whether there are records; asked before the file is looked at again.
    /// - Returns: the keys.
    /// - Throws: `keyMissing` where records are and their key is not; what reading and making the file throw.
    package func forWriting(hasRecords: () throws(StoreError) -> Bool) throws(StoreError) -> StoreKeys {
        guard case .file(let file) = self else { return try self.existing() }
        if let key = try file.read() { return StoreKeys(key) }
        // In this order: a record that is there now had its key before.
        let isNeeded = try hasRecords()
        if let key = try file.read() { return StoreKeys(key) }
        if isNeeded { throw StoreError(.keyMissing, place: file.path) }
        return StoreKeys(try file.make())
    }
}
