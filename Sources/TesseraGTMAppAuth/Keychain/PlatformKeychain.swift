// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Foundation
internal import Tessera
internal import TesseraStores

extension KeychainStore {
    /// Whether the items are in a keychain.
    ///
    /// What a helper of the program's does is not known, so it is taken for one.
    package var isInKeychain: Bool { (self.keychainHelper as? PlatformKeychain)?.isKeychain ?? true }
}

/// The system's keychain; elsewhere encrypted files of this user.
package final class PlatformKeychain: KeychainHelper {
    package let keychainAttributes: Set<KeychainAttribute>
    /// Whether the items are in the system's keychain, not in files.
    package let isKeychain: Bool
    private let items: @Sendable () throws -> any PasswordItems

    package init(keychainAttributes: Set<KeychainAttribute>) {
        self.keychainAttributes = keychainAttributes
        #if canImport(Security)
        self.isKeychain = KeychainPasswords.isKeychain
        self.items = { KeychainPasswords(SystemKeychain(), keychainAttributes) }
        #else
        self.isKeychain = FilePasswords.isKeychain
        self.items = { FilePasswords(try SealedItems.ofUser(), keychainAttributes) }
        #endif
    }

    /// One over other items, for tests.
    package init<Items: PasswordItems>(_ items: Items, _ keychainAttributes: Set<KeychainAttribute> = []) {
        self.keychainAttributes = keychainAttributes
        self.isKeychain = Items.isKeychain
        self.items = { items }
    }

    package func passwordData(forService service: String) throws -> Data {
        guard let secret = try self.items(of: service).read(service) else {
            throw KeychainStore.Error.passwordNotFound(forItemName: service)
        }
        return Data(secret)
    }

    package func removePassword(forService service: String) throws {
        guard try self.items(of: service).remove(service) else {
            throw KeychainStore.Error.failedToDeletePasswordBecauseItemNotFound(itemName: service)
        }
    }

    package func setPassword(data: Data, forService service: String, accessibility: AnyObject?) throws {
        let items = try self.items(of: service)
        let accessibility = try accessibility.map { try KeychainAccessibility($0) } ?? .ancestors
        if data.isEmpty { _ = try items.remove(service) } else { try items.write(Array(data), service, accessibility) }
    }

    private func items(of service: String) throws -> any PasswordItems {
        guard !service.isEmpty else { throw KeychainStore.Error.noService }
        return try self.items()
    }
}
