// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
internal import TesseraStores

/// Reads and writes items by their service: the door behind which a ``KeychainStore`` has the system's keychain.
///
/// Every call blocks. What a program's own has to do is what the comments say; the rest has defaults.
public protocol KeychainHelper: AnyObject, Sendable {
    /// The items' account: `OAuth`.
    var accountName: String { get }
    /// Where the items are.
    var keychainAttributes: Set<KeychainAttribute> { get }

    /// One for items at some place.
    init(keychainAttributes: Set<KeychainAttribute>)

    /// The query for the item of a service, in the keychain's own words.
    func keychainQuery(forService service: String) -> [String: Any]

    /// The item's secret as text.
    ///
    /// - Throws: ``KeychainStore/Error`` `noService` for an empty name, `passwordNotFound` where there is no item,
    ///   `unexpectedPasswordData` for what is no text, `unhandled` for what the keychain says.
    func password(forService service: String) throws -> String

    /// The item's secret.
    ///
    /// - Throws: as ``password(forService:)``.
    func passwordData(forService service: String) throws -> Data

    /// Removes the item.
    ///
    /// - Throws: ``KeychainStore/Error`` `noService`, `failedToDeletePasswordBecauseItemNotFound`, `unhandled`.
    func removePassword(forService service: String) throws

    /// Puts a text in place of the item's secret, for this device alone, readable after its first unlocking.
    func setPassword(_ password: String, forService service: String) throws

    /// Puts a text in place of the item's secret, readable when `accessibility` says, as
    /// ``setPassword(data:forService:accessibility:)`` does.
    func setPassword(_ password: String, forService service: String, accessibility: AnyObject) throws

    /// Puts bytes in place of the item's secret; empty ones remove the item.
    ///
    /// - Parameters:
    ///   - data: the secret.
    ///   - service: the item's name.
    ///   - accessibility: one of the keychain's constants, such as `kSecAttrAccessibleWhenUnlockedThisDeviceOnly`; nil is
    ///     `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`. A ``KeychainStore`` rejects `kSecAttrAccessibleAlways` and
    ///     its sibling, which are deprecated, and any other object. Files do not have an accessibility.
    /// - Throws: ``KeychainStore/Error`` `noService`, `unhandled`: with `errSecParam` (-50) for an accessibility that is
    ///   rejected.
    func setPassword(data: Data, forService service: String, accessibility: AnyObject?) throws
}

extension KeychainHelper {
    /// `OAuth`.
    public var accountName: String { "OAuth" }

    /// Class, account, service and place.
    public func keychainQuery(forService service: String) -> [String: Any] {
        var query: [String: Any] = [
            KeychainNames.itemClass: KeychainNames.genericPassword, KeychainNames.account: self.accountName,
            KeychainNames.service: service,
            KeychainNames.usesDataProtection: self.keychainAttributes.place.usesDataProtection,
        ]
        if let group = self.keychainAttributes.accessGroup { query[KeychainNames.accessGroup] = group }
        return query
    }

    /// The secret, which has to be UTF-8.
    public func password(forService service: String) throws -> String {
        guard let text = String(data: try self.passwordData(forService: service), encoding: .utf8) else {
            throw KeychainStore.Error.unexpectedPasswordData(forItemName: service)
        }
        return text
    }

    /// The text's UTF-8.
    public func setPassword(_ password: String, forService service: String) throws {
        try self.setPassword(data: Data(password.utf8), forService: service, accessibility: nil)
    }

    /// The text's UTF-8.
    public func setPassword(_ password: String, forService service: String, accessibility: AnyObject) throws {
        try self.setPassword(data: Data(password.utf8), forService: service, accessibility: accessibility)
    }
}

/// The older name of ``KeychainHelper``.
public typealias GTMKeychainHelper = KeychainHelper
