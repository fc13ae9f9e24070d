// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A place in the keychain with its access group named, found out once per process by adding an item.
///
/// A query without a group matches the items of every group that the program belongs to, while a new item goes to the
/// first of these groups. The same item tells whether the keychain can be used yet: on a device that has not been unlocked
/// since it was started, queries may simply find nothing. Every call blocks.
package final class ResolvedKeychainPlace: Sendable {
    private let keychain: any KeychainItems
    private let place: KeychainPlace
    private let service: String
    private let resolved: Mutex<KeychainPlace?>

    /// Creates a place whose group will be named by the first call.
    ///
    /// - Parameters:
    ///   - place: the place, with or without a group.
    ///   - keychain: the keychain.
    ///   - service: the service of the item that is added and removed.
    package init(_ place: KeychainPlace, in keychain: any KeychainItems, service: String) {
        self.keychain = keychain
        self.place = place
        self.service = service
        // The file-based keychain has no groups and no classes of protection.
        self.resolved = Mutex(place.usesDataProtection ? nil : place)
    }

    /// Returns the place, or the status with which the keychain refused the item.
    package func callAsFunction() -> (status: Int32, place: KeychainPlace) {
        if let resolved = self.resolved.withLock({ $0 }) { return (KeychainStatus.success, resolved) }
        // Another process may be doing the same: each item has a name of its own.
        let account = Hexadecimal.text(StoreKey.random().id)
        let item = KeychainItem(service: self.service, account: account, label: "", attributes: [], data: [1])
        let query = KeychainQuery(service: self.service, account: account)
        let status = self.keychain.add(item, to: self.place)
        guard status == KeychainStatus.success else { return (status, self.place) }
        defer { _ = self.keychain.remove(query, from: self.place) }
        let found = self.keychain.items(query, in: self.place, secrets: false)
        guard found.status == KeychainStatus.success else { return (found.status, self.place) }
        var named = self.place
        named.accessGroup = named.accessGroup ?? found.items.first?.accessGroup
        self.resolved.withLock { $0 = named }
        return (KeychainStatus.success, named)
    }
}
