// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Security)
internal import Security
#endif
public import Foundation
internal import Tessera
internal import TesseraStores

/// Reads and writes keychain items by service name on behalf of a ``KeychainStore``.
///
/// All methods block the calling thread. Custom helpers must behave as documented here. Some requirements have a
/// default implementation.
public protocol KeychainHelper: AnyObject, Sendable {
    /// The items' account, which is `OAuth`.
    var accountName: String { get }
    /// The attributes that determine the keychain.
    var keychainAttributes: Set<KeychainAttribute> { get }

    /// Creates a helper for items with the given attributes.
    init(keychainAttributes: Set<KeychainAttribute>)

    /// Returns the query for a service's item, with the keychain's own attribute names.
    func keychainQuery(forService service: String) -> [String: Any]

    /// Returns the item's secret as a string.
    ///
    /// - Throws: ``KeychainStore/Error`` `noService` if the service name is empty, `passwordNotFound` if there is no
    ///   item, `unexpectedPasswordData` if the secret is not text, or `unhandled` with the keychain's status.
    func password(forService service: String) throws -> String

    /// Returns the item's secret.
    ///
    /// - Throws: Any error that ``password(forService:)`` throws.
    func passwordData(forService service: String) throws -> Data

    /// Removes the item.
    ///
    /// - Throws: ``KeychainStore/Error`` `noService` if the service name is empty,
    ///   `failedToDeletePasswordBecauseItemNotFound` if there is no item, or `unhandled` with the keychain's status.
    func removePassword(forService service: String) throws

    /// Stores a string as the item's secret, available on this device after its first unlock.
    func setPassword(_ password: String, forService service: String) throws

    /// Stores a string as the item's secret, with the accessibility described for
    /// ``setPassword(data:forService:accessibility:)``.
    func setPassword(_ password: String, forService service: String, accessibility: AnyObject) throws

    /// Stores data as the item's secret.
    ///
    /// Empty data removes the item.
    ///
    /// - Parameters:
    ///   - data: The secret.
    ///   - service: The item's service name.
    ///   - accessibility: A keychain constant such as `kSecAttrAccessibleWhenUnlockedThisDeviceOnly`, or nil to use
    ///     `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`. A ``KeychainStore`` rejects other objects and the
    ///     deprecated `kSecAttrAccessibleAlways` and `kSecAttrAccessibleAlwaysThisDeviceOnly`. Platforms without a
    ///     keychain only validate the value.
    /// - Throws: ``KeychainStore/Error`` `noService` if the service name is empty, or `unhandled`, which has the status
    ///   `errSecParam` (-50) if the accessibility is rejected.
    func setPassword(data: Data, forService service: String, accessibility: AnyObject?) throws
}

extension KeychainHelper {
    /// The default account, which is `OAuth`.
    public var accountName: String { "OAuth" }

    /// Returns a query with the item's class, account, service and attributes.
    public func keychainQuery(forService service: String) -> [String: Any] {
        var query: [String: Any] = [
            KeychainNames.itemClass: KeychainNames.genericPassword, KeychainNames.account: self.accountName,
            KeychainNames.service: service,
            KeychainNames.usesDataProtection: self.keychainAttributes.location.usesDataProtection,
        ]
        if let group = self.keychainAttributes.accessGroup { query[KeychainNames.accessGroup] = group }
        return query
    }

    /// Returns the secret, which must be valid UTF-8.
    public func password(forService service: String) throws -> String {
        guard let text = String(data: try self.passwordData(forService: service), encoding: .utf8) else {
            throw KeychainStore.Error.unexpectedPasswordData(forItemName: service)
        }
        return text
    }

    /// Stores the string as UTF-8.
    public func setPassword(_ password: String, forService service: String) throws {
        try self.setPassword(data: Data(password.utf8), forService: service, accessibility: nil)
    }

    /// Stores the string as UTF-8.
    public func setPassword(_ password: String, forService service: String, accessibility: AnyObject) throws {
        try self.setPassword(data: Data(password.utf8), forService: service, accessibility: accessibility)
    }
}

/// GTMAppAuth's former name for ``KeychainHelper``.
public typealias GTMKeychainHelper = KeychainHelper

/// The keychain's names for attributes and accessibilities.
enum KeychainNames {
    #if canImport(Security)
    static let itemClass = kSecClass as String
    static let genericPassword = kSecClassGenericPassword as String
    static let account = kSecAttrAccount as String
    static let service = kSecAttrService as String
    static let accessGroup = kSecAttrAccessGroup as String
    static let usesDataProtection = kSecUseDataProtectionKeychain as String
    static let afterFirstUnlockThisDeviceOnly = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String
    static let accessibilities: [String: KeychainAccessibility] = [
        kSecAttrAccessibleAfterFirstUnlock as String: .afterFirstUnlock,
        Self.afterFirstUnlockThisDeviceOnly: .afterFirstUnlockThisDeviceOnly,
        kSecAttrAccessibleWhenUnlocked as String: .whenUnlocked,
        kSecAttrAccessibleWhenUnlockedThisDeviceOnly as String: .whenUnlockedThisDeviceOnly,
        kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly as String: .whenPasscodeSetThisDeviceOnly,
    ]
    #else
    static let itemClass = "class"
    static let genericPassword = "genp"
    static let account = "acct"
    static let service = "svce"
    static let accessGroup = "agrp"
    static let usesDataProtection = "nleg"
    static let afterFirstUnlockThisDeviceOnly = "cku"
    static let accessibilities: [String: KeychainAccessibility] = [
        "ck": .afterFirstUnlock, Self.afterFirstUnlockThisDeviceOnly: .afterFirstUnlockThisDeviceOnly,
        "ak": .whenUnlocked, "aku": .whenUnlockedThisDeviceOnly,
        "akpu": .whenPasscodeSetThisDeviceOnly,
    ]
    #endif
}

extension KeychainAccessibility {
    /// The accessibility that GTMAppAuth uses for its items.
    static let ancestors = Self.afterFirstUnlockThisDeviceOnly

    /// Creates the accessibility for a keychain constant.
    ///
    /// - Throws: `unhandled` with `errSecParam`, as the keychain does.
    init(_ constant: AnyObject) throws {
        let name = (constant as? NSString)?.description
        guard let accessibility = name.flatMap({ KeychainNames.accessibilities[$0] }) else {
            throw KeychainStore.Error.unhandled(status: KeychainStatus.invalidParameter)
        }
        self = accessibility
    }
}
