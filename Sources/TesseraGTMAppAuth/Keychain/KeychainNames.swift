// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(Security)
internal import Security
#endif
internal import Tessera
internal import TesseraStores

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
