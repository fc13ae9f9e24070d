// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Foundation
internal import Tessera
package import TesseraStores

/// The storage used by a ``PlatformKeychain``, which identifies secrets by service name.
package protocol PasswordStorage: Sendable {
    /// Whether the secrets are in the system keychain.
    static var isKeychain: Bool { get }

    /// Returns the secret, or nil if it does not exist.
    func read(_ service: String) throws -> [UInt8]?

    /// Stores a secret, replacing the existing one.
    ///
    /// The accessibility applies only to keychain items.
    func write(_ secret: [UInt8], _ service: String, _ accessibility: KeychainAccessibility) throws

    /// Removes a secret.
    ///
    /// - Returns: Whether there was a secret.
    func remove(_ service: String) throws -> Bool
}

/// GTMAppAuth's items in the keychain of Apple platforms, which are generic passwords with the account `OAuth`.
///
/// An existing item is updated in place, whereas GTMAppAuth removes it and adds a new one. Without an access group,
/// only items in the app's first group are read, replaced and removed.
package struct KeychainPasswords: PasswordStorage {
    package static let isKeychain = true

    private let keychain: any KeychainItems
    private let resolvedLocation: ResolvedKeychainLocation

    /// Creates the storage for items with the given attributes.
    package init(_ keychain: any KeychainItems, _ attributes: Set<KeychainAttribute>) {
        self.keychain = keychain
        self.resolvedLocation = ResolvedKeychainLocation(attributes.location, in: keychain)
    }

    package func read(_ service: String) throws -> [UInt8]? {
        let (status, items) = self.keychain.items(self.query(service), in: try self.location(), secrets: true)
        if status == KeychainStatus.itemNotFound { return nil }
        try self.check(status)
        return items.first?.data
    }

    package func write(_ secret: [UInt8], _ service: String, _ accessibility: KeychainAccessibility) throws {
        var location = try self.location()
        location.accessibility = accessibility
        let item = KeychainItem(service: service, account: "OAuth", label: "", attributes: [], data: secret)
        var status = self.keychain.update(self.query(service), in: location, to: item)
        if status == KeychainStatus.itemNotFound { status = self.keychain.add(item, to: location) }
        // An extension or another thread may have added the item in the meantime.
        if status == KeychainStatus.duplicateItem {
            status = self.keychain.update(self.query(service), in: location, to: item)
        }
        try self.check(status)
    }

    package func remove(_ service: String) throws -> Bool {
        let status = self.keychain.remove(self.query(service), from: try self.location())
        if status == KeychainStatus.itemNotFound { return false }
        try self.check(status)
        return true
    }

    private func location() throws -> KeychainLocation {
        let (status, location) = self.resolvedLocation()
        try self.check(status)
        return location
    }

    private func query(_ service: String) -> KeychainQuery { KeychainQuery(service: service, account: "OAuth") }

    private func check(_ status: Int32) throws {
        guard status == KeychainStatus.success else { throw KeychainStore.Error.unhandled(status: status) }
    }
}

/// GTMAppAuth's items on platforms without a keychain, stored as encrypted files by `SealedItems`.
///
/// A file's name includes the app or the access group, because several of a user's apps can use the same item name.
package struct FilePasswords: PasswordStorage {
    package static let isKeychain = false

    private let items: SealedItems
    private let owner: String

    /// Creates the storage for an app, or for all apps that use the same access group.
    package init(_ items: SealedItems, _ attributes: Set<KeychainAttribute>, program: String = Self.program) {
        self.items = items
        self.owner = attributes.accessGroup.map { "group:" + $0 } ?? "program:" + program
    }

    /// The app's bundle identifier, or the name of its executable.
    package static var program: String { Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName }

    package func read(_ service: String) throws -> [UInt8]? { try self.items.read(self.name(service)) }

    /// Stores a secret.
    ///
    /// The accessibility is ignored, because files have none.
    package func write(_ secret: [UInt8], _ service: String, _ accessibility: KeychainAccessibility) throws {
        try self.items.write(secret, as: self.name(service))
    }

    package func remove(_ service: String) throws -> Bool { try self.items.remove(self.name(service)) }

    private func name(_ service: String) -> String { "OAuth\u{0}\(self.owner)\u{0}\(service)" }
}

extension KeychainStore {
    /// Whether the items are in a keychain.
    ///
    /// A custom helper is assumed to use one.
    package var isInKeychain: Bool { (self.keychainHelper as? PlatformKeychain)?.isKeychain ?? true }
}

/// The system keychain or, on platforms without one, this user's encrypted files.
package final class PlatformKeychain: KeychainHelper {
    package let keychainAttributes: Set<KeychainAttribute>
    /// Whether the items are in the system keychain instead of files.
    package let isKeychain: Bool
    private let items: @Sendable () throws -> any PasswordStorage

    package init(keychainAttributes: Set<KeychainAttribute>) {
        self.keychainAttributes = keychainAttributes
        #if canImport(Security)
        self.isKeychain = KeychainPasswords.isKeychain
        self.items = { KeychainPasswords(SystemKeychain(), keychainAttributes) }
        #else
        self.isKeychain = FilePasswords.isKeychain
        self.items = { FilePasswords(try SealedItems.currentUser(), keychainAttributes) }
        #endif
    }

    /// Creates a helper with custom storage, for tests.
    package init<Items: PasswordStorage>(_ items: Items, _ keychainAttributes: Set<KeychainAttribute> = []) {
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

    private func items(of service: String) throws -> any PasswordStorage {
        guard !service.isEmpty else { throw KeychainStore.Error.noService }
        return try self.items()
    }
}
