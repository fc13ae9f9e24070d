// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Foundation
internal import Tessera
package import TesseraStores

/// What a ``KeychainHelper`` of ours stands on: secrets by the name of their service.
package protocol PasswordItems: Sendable {
    /// Whether the system's keychain has them.
    static var isKeychain: Bool { get }

    /// The secret, nil where there is none.
    func read(_ service: String) throws -> [UInt8]?

    /// Puts a secret in place of the one that is there; a keychain lets it be read as `accessibility` says.
    func write(_ secret: [UInt8], _ service: String, _ accessibility: KeychainAccessibility) throws

    /// Removes a secret.
    ///
    /// - Returns: whether there was one.
    func remove(_ service: String) throws -> Bool
}

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

/// The ancestor's items on systems without a keychain: encrypted files, see `SealedItems`.
///
/// Where a keychain asks which program it is, the name says it: two programs of one person may call their items alike.
package struct FilePasswords: PasswordItems {
    package static let isKeychain = false

    private let items: SealedItems
    private let owner: String

    /// The items of a program, or of all that name the same access group.
    package init(_ items: SealedItems, _ attributes: Set<KeychainAttribute>, program: String = Self.program) {
        self.items = items
        self.owner = attributes.accessGroup.map { "group:" + $0 } ?? "program:" + program
    }

    /// The bundle's identifier, else the executable's name.
    package static var program: String { Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName }

    package func read(_ service: String) throws -> [UInt8]? { try self.items.read(self.name(service)) }

    /// A file has no accessibility.
    package func write(_ secret: [UInt8], _ service: String, _ accessibility: KeychainAccessibility) throws {
        try self.items.write(secret, as: self.name(service))
    }

    package func remove(_ service: String) throws -> Bool { try self.items.remove(self.name(service)) }

    private func name(_ service: String) -> String { "OAuth\u{0}\(self.owner)\u{0}\(service)" }
}

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
