// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
internal import TesseraSupport

/// Where a store's keys come from: every call blocks, and only a ``BlockingExecutor`` may make it.
package enum StoreKeySource: Sendable {
    /// The caller has them.
    case given(StoreKeys)
    /// The one key of a file outside the store, made at first use.
    case file(KeyFile)
    /// Somebody is asked: a keyring, for example.
    case asked(AskedKey)

    /// What an error names.
    package var place: String {
        switch self {
        case .given: "the keys given to the store"
        case .file(let file): file.path
        case .asked(let asked): asked.place
        }
    }

    /// The directory of a key file, which may not lie in the store's.
    var directory: String? {
        if case .file(let file) = self { file.directory } else { nil }
    }

    /// The keys that open records.
    ///
    /// - Throws: `keyMissing`, and what reading them throws.
    package func existing() throws(StoreError) -> StoreKeys {
        guard let keys = try self.read() else { throw StoreError(.keyMissing, place: self.place) }
        return keys
    }

    /// The keys that seal; a new one only where there is no record that needs an old one.
    ///
    /// - Parameter hasRecords: whether there are records; asked only where no key is, before it is looked for again.
    /// - Returns: the keys.
    /// - Throws: `keyMissing` where records are and their key is not; what reading and making it throw.
    package func forWriting(hasRecords: () throws(StoreError) -> Bool) throws(StoreError) -> StoreKeys {
        if let keys = try self.read() { return keys }
        // In this order: a record that is there now had its key before.
        let isNeeded = try hasRecords()
        if let keys = try self.read() { return keys }
        if isNeeded { throw StoreError(.keyMissing, place: self.place) }
        return try self.make()
    }

    private func read() throws(StoreError) -> StoreKeys? {
        switch self {
        case .given(let keys): keys
        case .file(let file): try file.read().map { StoreKeys($0) }
        case .asked(let asked): try asked.read()
        }
    }

    private func make() throws(StoreError) -> StoreKeys {
        switch self {
        case .given(let keys): keys
        case .file(let file): StoreKeys(try file.make())
        case .asked(let asked): try asked.make()
        }
    }
}

/// A key that somebody is asked for at first use, and not again.
package final class AskedKey: Sendable {
    /// What an error names.
    package let place: String
    private let reading: @Sendable () throws(StoreError) -> StoreKey?
    private let making: @Sendable () throws(StoreError) -> StoreKey
    private let known = Mutex<StoreKeys?>(nil)

    /// A key of a place.
    ///
    /// - Parameters:
    ///   - place: what an error names.
    ///   - read: asks for the key; nil where none was made yet. It may block.
    ///   - make: makes the key, or takes the one that another process has made meanwhile. It may block.
    package init(
        place: String,
        reading read: @escaping @Sendable () throws(StoreError) -> StoreKey?,
        making make: @escaping @Sendable () throws(StoreError) -> StoreKey
    ) {
        self.place = place
        self.reading = read
        self.making = make
    }

    package func read() throws(StoreError) -> StoreKeys? {
        if let keys = self.known.withLock({ $0 }) { return keys }
        guard let key = try self.reading() else { return nil }
        return self.keep(key)
    }

    package func make() throws(StoreError) -> StoreKeys { self.keep(try self.making()) }

    private func keep(_ key: StoreKey) -> StoreKeys {
        let keys = StoreKeys(key)
        self.known.withLock { $0 = keys }
        return keys
    }
}
