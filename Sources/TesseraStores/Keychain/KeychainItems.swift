// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The keychain's four calls, on generic passwords: the door behind which the system's own functions stand.
///
/// Each call returns the system's status, 0 for success; it blocks, and only a ``BlockingExecutor`` may make it.
///
/// - SeeAlso: [Keychain items](https://developer.apple.com/documentation/security/keychain-items)
package protocol KeychainItems: Sendable {
    /// The access groups that this process has found out in the keychain.
    var accessGroups: KeychainAccessGroups { get }

    /// Adds an item: `errSecDuplicateItem` where one of its service, account and group is there.
    func add(_ item: KeychainItem, to place: KeychainPlace) -> Int32

    /// The items that fit, with their secret data only where `secrets` says so; `errSecItemNotFound` where none does.
    func items(_ query: KeychainQuery, in place: KeychainPlace, secrets: Bool) -> (status: Int32, items: [KeychainItem])

    /// Replaces label, attributes, data and accessibility of the item that fits; `errSecItemNotFound` where none does.
    func update(_ query: KeychainQuery, in place: KeychainPlace, to item: KeychainItem) -> Int32

    /// Removes the items that fit; `errSecItemNotFound` where none does.
    func remove(_ query: KeychainQuery, from place: KeychainPlace) -> Int32

    /// The system's words for a status, nil where it has none.
    func message(_ status: Int32) -> String?
}

/// Which items are meant.
package struct KeychainQuery: Sendable, Hashable {
    /// `kSecAttrService`.
    package var service: String
    /// `kSecAttrAccount`; nil means all of the service.
    package var account: String?

    package init(service: String, account: String? = nil) {
        self.service = service
        self.account = account
    }
}

/// One generic password.
package struct KeychainItem: Sendable, Hashable {
    /// `kSecAttrService`.
    package var service: String
    /// `kSecAttrAccount`.
    package var account: String
    /// `kSecAttrLabel`: what a person sees in the keychain's own program.
    package var label: String
    /// `kSecAttrGeneric`: attributes of the program's own, in clear.
    package var attributes: [UInt8]
    /// `kSecValueData`; empty where it was not requested.
    package var data: [UInt8]
    /// `kSecAttrAccessGroup` of an item that was found; nil in an item to be added, and in the file-based keychain.
    package var accessGroup: String?

    package init(
        service: String,
        account: String,
        label: String,
        attributes: [UInt8],
        data: [UInt8],
        accessGroup: String? = nil
    ) {
        self.accessGroup = accessGroup
        self.service = service
        self.account = account
        self.label = label
        self.attributes = attributes
        self.data = data
    }
}

extension KeychainItem: CustomStringConvertible, CustomReflectable {
    package var description: String { "keychain item \(self.account) of \(self.service)" }
    package var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

/// Which keychain, and who may read there.
package struct KeychainPlace: Sendable, Hashable {
    /// Whether the system has a second, file-based keychain: only macOS does.
    ///
    /// It is also true on systems without a keychain, where only tests make places.
    package static var hasFileBasedKeychain: Bool {
        #if canImport(Darwin) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
        false
        #else
        true
        #endif
    }

    /// The data-protection keychain, else the file-based one of macOS.
    package var usesDataProtection: Bool
    /// `kSecAttrAccessGroup`; with nil an item is added to the program's first group, and found in any of its groups.
    package var accessGroup: String?
    /// When the items can be read.
    package var accessibility: KeychainAccessibility

    /// Creates a place.
    ///
    /// Where the data-protection keychain is the only one, the place is in it whatever `usesDataProtection` says. Its
    /// items would otherwise be added without their accessibility.
    package init(
        usesDataProtection: Bool,
        accessGroup: String?,
        accessibility: KeychainAccessibility,
        hasFileBasedKeychain: Bool = Self.hasFileBasedKeychain
    ) {
        self.usesDataProtection = usesDataProtection || !hasFileBasedKeychain
        self.accessGroup = accessGroup
        self.accessibility = accessibility
    }
}
