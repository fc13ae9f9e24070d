// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Security)
internal import Foundation
internal import Security
#endif

/// What the keychain calls the parts of a query.
enum KeychainNames {
    #if canImport(Security)
    static let itemClass = kSecClass as String
    static let genericPassword = kSecClassGenericPassword as String
    static let account = kSecAttrAccount as String
    static let service = kSecAttrService as String
    static let accessGroup = kSecAttrAccessGroup as String
    static let usesDataProtection = kSecUseDataProtectionKeychain as String
    #else
    static let itemClass = "class"
    static let genericPassword = "genp"
    static let account = "acct"
    static let service = "svce"
    static let accessGroup = "agrp"
    static let usesDataProtection = "nleg"
    #endif
}
