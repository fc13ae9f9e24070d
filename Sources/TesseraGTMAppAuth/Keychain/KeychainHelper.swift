// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Security)
internal import Security
#endif
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

/// What the keychain calls the parts of a query.
enum KeychainNames {
    #if canImport(Security)
    static let itemClass = kSecClass as String
    static let genericPassword = kSecClassGenericPassword as String
    static let account = kSecAttrAccount as String
    static let service = kSecAttrService as String
    static let accessGroup = kSecAttrAccessGroup as String
    static let usesDataProtection = kSecUseDataProtectionKeychain as String
    static let accessibilities: [String: KeychainAccessibility] = [
        kSecAttrAccessibleAfterFirstUnlock as String: .afterFirstUnlock,
        kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String: .afterFirstUnlockThisDeviceOnly,
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
    static let accessibilities: [String: KeychainAccessibility] = [
        "ck": .afterFirstUnlock, "cku": .afterFirstUnlockThisDeviceOnly, "ak": .whenUnlocked,
        "aku": .whenUnlockedThisDeviceOnly, "akpu": .whenPasscodeSetThisDeviceOnly,
    ]
    #endif
}

extension KeychainAccessibility {
    /// The accessibility that GTMAppAuth gives its items.
    static let ancestors = Self.afterFirstUnlockThisDeviceOnly

    /// Creates the accessibility that one of the keychain's constants means.
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
