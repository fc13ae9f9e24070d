// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// The keychain functions for generic passwords.
///
/// Each method returns the system's status, which is 0 for success. The methods block and must only be called on a
/// ``BlockingExecutor``.
///
/// - SeeAlso: [Keychain items](https://developer.apple.com/documentation/security/keychain-items)
package protocol KeychainItems: Sendable {
    /// The access groups that this process has determined for the keychain.
    var accessGroups: KeychainAccessGroups { get }

    /// Adds an item, or returns `errSecDuplicateItem` if one with its service, account and access group exists.
    func add(_ item: KeychainItem, to location: KeychainLocation) -> Int32

    /// Returns the matching items, with data only if `secrets` is true, or `errSecItemNotFound` if no item matches.
    func items(
        _ query: KeychainQuery,
        in location: KeychainLocation,
        secrets: Bool
    ) -> (status: Int32, items: [KeychainItem])

    /// Replaces the label, attributes, data and accessibility of the matching item, or returns `errSecItemNotFound`.
    func update(_ query: KeychainQuery, in location: KeychainLocation, to item: KeychainItem) -> Int32

    /// Removes the matching items, or returns `errSecItemNotFound` if no item matches.
    func remove(_ query: KeychainQuery, from location: KeychainLocation) -> Int32

    /// Returns the system's description of a status, or nil if it has none.
    func message(_ status: Int32) -> String?
}

/// A query for keychain items.
package struct KeychainQuery: Sendable, Hashable {
    /// `kSecAttrService`.
    package var service: String
    /// `kSecAttrAccount`, or nil for all of the service's items.
    package var account: String?

    package init(service: String, account: String? = nil) {
        self.service = service
        self.account = account
    }
}

/// A generic password item.
package struct KeychainItem: Sendable, Hashable {
    /// `kSecAttrService`.
    package var service: String
    /// `kSecAttrAccount`.
    package var account: String
    /// `kSecAttrLabel`, which Keychain Access displays.
    package var label: String
    /// `kSecAttrGeneric`: custom attributes, which are not encrypted.
    package var attributes: [UInt8]
    /// `kSecValueData`, or empty if the data was not requested.
    package var data: [UInt8]
    /// The `kSecAttrAccessGroup` of a stored item, or nil for a new item and in the file-based keychain.
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

/// A keychain, an access group and an accessibility.
package struct KeychainLocation: Sendable, Hashable {
    /// Whether the system has a file-based keychain, as only macOS does.
    ///
    /// The value is also true on systems without a keychain, where only tests create locations.
    package static var hasFileBasedKeychain: Bool {
        #if canImport(Darwin) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
        false
        #else
        true
        #endif
    }

    /// Whether the items are in the data-protection keychain instead of the file-based keychain of macOS.
    package var usesDataProtection: Bool
    /// The `kSecAttrAccessGroup`, or nil to add items to the program's first group and find them in all of its groups.
    package var accessGroup: String?
    /// When the items can be read.
    package var accessibility: KeychainAccessibility

    /// Creates a location.
    ///
    /// On systems that only have the data-protection keychain, `usesDataProtection` is ignored. Otherwise, items would
    /// be added there without their accessibility.
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

/// When sessions in a data-protection keychain can be read, and whether they can move to another device.
///
/// - SeeAlso: [Restricting keychain item
///   accessibility](https://developer.apple.com/documentation/security/restricting-keychain-item-accessibility)
public enum KeychainAccessibility: String, Sendable, Hashable, CaseIterable {
    /// Readable after the first unlock since the device started, also in the background. Moves with an encrypted
    /// backup.
    case afterFirstUnlock
    /// Readable after the first unlock since the device started, also in the background. Does not move to other
    /// devices.
    case afterFirstUnlockThisDeviceOnly
    /// Readable while the device is unlocked. Moves with an encrypted backup.
    case whenUnlocked
    /// Readable while the device is unlocked. Does not move to other devices.
    case whenUnlockedThisDeviceOnly
    /// Readable while the device is unlocked and has a passcode. Does not move to other devices.
    ///
    /// Removing the passcode deletes the item.
    case whenPasscodeSetThisDeviceOnly

    /// Whether items become unreadable when the device is locked again.
    package var needsUnlockedDevice: Bool {
        switch self {
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: false
        case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: true
        }
    }
}

/// A keychain location with a resolved access group, so that items in the program's other groups are not affected.
///
/// A query without a group matches items in all groups of the program, but a new item is added to the first group.
/// ``KeychainAccessGroups`` determines which group is first. Every method blocks.
package struct ResolvedKeychainLocation: Sendable {
    private let keychain: any KeychainItems
    private let location: KeychainLocation

    /// Creates a location that is resolved at first use.
    package init(_ location: KeychainLocation, in keychain: any KeychainItems) {
        self.keychain = keychain
        self.location = location
    }

    /// Returns the location with its access group, or the status of the keychain's error.
    package func callAsFunction() -> (status: Int32, location: KeychainLocation) {
        self.keychain.accessGroups.resolve(self.location, in: self.keychain)
    }

    /// Returns 0 if an item that was not found does not exist, or the status that explains why this is unknown.
    ///
    /// While the device is locked, items that require an unlocked device may not be found. In that case, this method
    /// adds a test item to find out.
    package func absence() -> Int32 {
        guard self.location.usesDataProtection, self.location.accessibility.needsUnlockedDevice else {
            return KeychainStatus.success
        }
        return self.keychain.accessGroups.probe(self.location, in: self.keychain)
    }
}

/// The encoding of an account in an item's attributes, which the keychain does not encrypt.
enum KeychainLabel {
    /// Returns an item for an account, named by the account's hash and without data.
    static func item(of account: Account, in service: String, label: String) -> KeychainItem {
        var attributes: [UInt8] = []
        for text in [account.issuer, account.clientID, account.subject] {
            attributes += BigEndian.bytes(of: UInt32(clamping: text.utf8.count)) + Array(text.utf8)
        }
        return KeychainItem(
            service: service,
            account: AccountKey(account).name,
            label: label,
            attributes: attributes,
            data: []
        )
    }

    /// Returns the account in an item's attributes, or nil if they are malformed or do not match the item's name.
    static func account(of item: KeychainItem) -> Account? {
        var reader = ByteReader(item.attributes[...])
        guard let issuer = reader.text(), let client = reader.text(), let subject = reader.text(), reader.isAtEnd
        else { return nil }
        let account = Account(issuer: issuer, clientID: client, subject: subject)
        return AccountKey(account).name == item.account ? account : nil
    }

    /// Returns the label shown to the user: `Tessera: ada@example.com at Google`.
    static func text(_ record: SessionRecord) -> String {
        "Tessera: \(record.identity.displayName ?? record.account.subject) at \(record.provider.name)"
    }
}

/// The access groups that this process uses in a keychain.
///
/// Each requested group is determined once, by adding an item, and the result is shared by all stores.
///
/// The item also shows whether the keychain is available. On a device that has not been unlocked since it started,
/// queries can return no items. Every method blocks.
package final class KeychainAccessGroups: Sendable {
    private static let service = "dev.tessera.probes"

    private let program: String
    /// The resolved groups by requested group.
    ///
    /// The file-based keychain does not have groups.
    private let resolved = Mutex<[String?: String?]>([:])

    /// Creates the access groups for a process.
    ///
    /// - Parameter program: The account of the temporary item. Programs with different groups need different names. The
    ///   processes of one program share the name, so a process that is killed leaves at most one item behind.
    package init(program: String) { self.program = program }

    /// Returns the location with its access group, or the status of the keychain's error.
    func resolve(
        _ location: KeychainLocation,
        in keychain: any KeychainItems
    ) -> (status: Int32, location: KeychainLocation) {
        guard location.usesDataProtection else { return (KeychainStatus.success, location) }
        return self.resolved.withLock { resolved in
            var named = location
            if let group = resolved[location.accessGroup] {
                named.accessGroup = group
                return (KeychainStatus.success, named)
            }
            let (status, group) = self.group(of: location, in: keychain)
            guard status == KeychainStatus.success else { return (status, location) }
            named.accessGroup = location.accessGroup ?? group
            resolved.updateValue(named.accessGroup, forKey: location.accessGroup)
            return (KeychainStatus.success, named)
        }
    }

    /// Returns 0 if an item with the location's accessibility can currently be added, or the status of the keychain's
    /// error.
    func probe(_ location: KeychainLocation, in keychain: any KeychainItems) -> Int32 {
        self.resolved.withLock { _ in self.group(of: location, in: keychain).status }
    }

    /// Adds an item, reads its access group and removes it.
    ///
    /// The caller must hold the lock, so that two threads do not interfere.
    private func group(
        of location: KeychainLocation,
        in keychain: any KeychainItems
    ) -> (status: Int32, group: String?) {
        let item = KeychainItem(service: Self.service, account: self.program, label: "", attributes: [], data: [1])
        let query = KeychainQuery(service: item.service, account: item.account)
        // Another process of the program can remove the item between two calls.
        for _ in 0..<8 {
            // A process that was killed may have left an item behind, possibly in a group that was first at the time.
            _ = keychain.remove(query, from: location)
            let added = keychain.add(item, to: location)
            guard added == KeychainStatus.success || added == KeychainStatus.duplicateItem else { return (added, nil) }
            let (status, items) = keychain.items(query, in: location, secrets: false)
            if status == KeychainStatus.itemNotFound || items.count > 1 { continue }
            _ = keychain.remove(query, from: location)
            return (status, items.first?.accessGroup)
        }
        return (KeychainStatus.notAvailable, nil)
    }
}
