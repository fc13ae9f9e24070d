// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A place in the keychain whose access group is named, so that items of the program's other groups are left alone.
///
/// A query without a group matches the items of every group that the program belongs to, while a new item goes to the
/// first of these groups. ``KeychainAccessGroups`` finds out which one that is. Every call blocks.
package struct ResolvedKeychainPlace: Sendable {
    private let keychain: any KeychainItems
    private let place: KeychainPlace

    /// Creates a place, with or without a group; nothing is called yet.
    package init(_ place: KeychainPlace, in keychain: any KeychainItems) {
        self.keychain = keychain
        self.place = place
    }

    /// Returns the place with its group, or the status with which the keychain refused an item there.
    package func callAsFunction() -> (status: Int32, place: KeychainPlace) {
        self.keychain.accessGroups.resolve(self.place, in: self.keychain)
    }

    /// Returns 0 if an item that was not found does not exist, or the status that says why this is not known.
    ///
    /// While the device is locked, items of the stricter classes may not be found. Only for these classes an item is added.
    package func absence() -> Int32 {
        guard self.place.usesDataProtection, self.place.accessibility.needsUnlockedDevice else {
            return KeychainStatus.success
        }
        return self.keychain.accessGroups.probe(self.place, in: self.keychain)
    }
}
