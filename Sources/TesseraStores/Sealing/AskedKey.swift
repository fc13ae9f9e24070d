// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
internal import TesseraSupport

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
