// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
package import TesseraStores

/// The ancestor's items in the keychain of Apple's systems: generic passwords of the account `OAuth`.
///
/// An item is replaced in place; the ancestor removes it and adds another one. Without a named access group only items of the
/// program's first group are read, replaced and removed.
package struct KeychainPasswords: PasswordItems {
    package static let isKeychain = true

    private let keychain: any KeychainItems
    private let resolvedPlace: ResolvedKeychainPlace

    /// The items at a place.
    package init(_ keychain: any KeychainItems, _ attributes: Set<KeychainAttribute>) {
        self.keychain = keychain
        self.resolvedPlace = ResolvedKeychainPlace(attributes.place, in: keychain)
    }

    package func read(_ service: String) throws -> [UInt8]? {
        let (status, items) = self.keychain.items(self.query(service), in: try self.place(), secrets: true)
        if status == KeychainStatus.itemNotFound { return nil }
        try self.check(status)
        return items.first?.data
    }

    package func write(_ secret: [UInt8], _ service: String, _ accessibility: KeychainAccessibility) throws {
        var place = try self.place()
        place.accessibility = accessibility
        let item = KeychainItem(service: service, account: "OAuth", label: "", attributes: [], data: secret)
        var status = self.keychain.update(self.query(service), in: place, to: item)
        if status == KeychainStatus.itemNotFound { status = self.keychain.add(item, to: place) }
        try self.check(status)
    }

    package func remove(_ service: String) throws -> Bool {
        let status = self.keychain.remove(self.query(service), from: try self.place())
        if status == KeychainStatus.itemNotFound { return false }
        try self.check(status)
        return true
    }

    private func place() throws -> KeychainPlace {
        let (status, place) = self.resolvedPlace()
        try self.check(status)
        return place
    }

    private func query(_ service: String) -> KeychainQuery { KeychainQuery(service: service, account: "OAuth") }

    private func check(_ status: Int32) throws {
        guard status == KeychainStatus.success else { throw KeychainStore.Error.unhandled(status: status) }
    }
}
