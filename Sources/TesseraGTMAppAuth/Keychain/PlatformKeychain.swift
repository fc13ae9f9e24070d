// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Foundation
internal import Tessera

/// The system's keychain; elsewhere encrypted files of this user.
package final class PlatformKeychain: KeychainHelper {
    package let keychainAttributes: Set<KeychainAttribute>
    private let items: @Sendable () throws -> any PasswordItems

    package init(keychainAttributes: Set<KeychainAttribute>) {
        self.keychainAttributes = keychainAttributes
        #if canImport(Security)
        self.items = { KeychainPasswords(SystemKeychain(), keychainAttributes) }
        #else
        self.items = { FilePasswords(try SealedItems.ofUser(), keychainAttributes) }
        #endif
    }

    /// One over other items, for tests.
    package init(_ items: some PasswordItems, _ keychainAttributes: Set<KeychainAttribute> = []) {
        self.keychainAttributes = keychainAttributes
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
