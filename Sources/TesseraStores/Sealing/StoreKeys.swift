// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The keys of a store: one for what is written now, and those that older records were sealed with.
///
/// To change a key while programs run, give each of them the new key as a former one first, then make it the current
/// one; a record is sealed with the current key when it is next saved. No program then meets a record that it cannot open.
public struct StoreKeys: Sendable, Hashable {
    /// Seals what is written.
    public var current: StoreKey
    /// Open what was sealed before.
    public var former: [StoreKey]

    /// Keys.
    public init(_ current: StoreKey, former: [StoreKey] = []) {
        self.current = current
        self.former = former
    }

    /// The key that has this identifier.
    package func key(_ id: [UInt8]) -> StoreKey? {
        self.current.id == id ? self.current : self.former.first { $0.id == id }
    }
}
