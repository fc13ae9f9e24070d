// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

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

/// When sessions in a data-protection keychain can be read, and whether they move to another device.
///
/// - SeeAlso: [Restricting keychain item accessibility](https://developer.apple.com/documentation/security/restricting-keychain-item-accessibility)
public enum KeychainAccessibility: String, Sendable, Hashable, CaseIterable {
    /// From the first unlocking after a start of the device: also in the background. Moves with an encrypted backup.
    case afterFirstUnlock
    /// The same, on this device alone.
    case afterFirstUnlockThisDeviceOnly
    /// While the device is unlocked. Moves with an encrypted backup.
    case whenUnlocked
    /// The same, on this device alone.
    case whenUnlockedThisDeviceOnly
    /// While the device is unlocked, on this device alone, and only while it has a passcode: removing the passcode deletes
    /// the item.
    case whenPasscodeSetThisDeviceOnly

    /// Whether items can only be read while the device is unlocked, not also after it was locked again.
    package var needsUnlockedDevice: Bool {
        switch self {
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: false
        case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: true
        }
    }
}

/// A place in the keychain whose access group is named, so that items of the program's other groups are left alone.
///
/// A query without a group matches the items of every group that the program belongs to, while a new item goes to the
/// first of these groups. ``KeychainAccessGroups`` finds out which one that is. Every call blocks.
package struct ResolvedKeychainPlace: Sendable {
    private let keychain: any KeychainItems
    private let place: KeychainPlace

    /// Creates a place, with or without a group; nothing is called yet.
    package init(_ place: KeychainPlace, in keychain: any KeychainItems) {
        self.keychain = keychain
        self.place = place
    }

    /// Returns the place with its group, or the status with which the keychain refused an item there.
    package func callAsFunction() -> (status: Int32, place: KeychainPlace) {
        self.keychain.accessGroups.resolve(self.place, in: self.keychain)
    }

    /// Returns 0 if an item that was not found does not exist, or the status that says why this is not known.
    ///
    /// While the device is locked, items of the stricter classes may not be found. Only for these classes an item is added.
    package func absence() -> Int32 {
        guard self.place.usesDataProtection, self.place.accessibility.needsUnlockedDevice else {
            return KeychainStatus.success
        }
        return self.keychain.accessGroups.probe(self.place, in: self.keychain)
    }
}

/// How an account is written into an item's attributes, which the keychain does not encrypt.
enum KeychainLabel {
    /// An item for an account, without data: named by the account's hash.
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

    /// The account in an item's attributes, nil for somebody else's item, or where they are not those of its name.
    static func account(of item: KeychainItem) -> Account? {
        var reader = ByteReader(item.attributes[...])
        guard let issuer = reader.text(), let client = reader.text(), let subject = reader.text(), reader.isAtEnd
        else { return nil }
        let account = Account(issuer: issuer, clientID: client, subject: subject)
        return AccountKey(account).name == item.account ? account : nil
    }

    /// What a person sees: `Tessera: ada@example.com at Google`.
    static func text(_ record: SessionRecord) -> String {
        "Tessera: \(record.identity.displayName ?? record.account.subject) at \(record.provider.name)"
    }
}

/// The access groups of this process in a keychain.
///
/// Each is found out once, by adding an item, and shared by all stores.
///
/// The same item tells whether the keychain can be used yet: on a device that has not been unlocked since it was started,
/// queries may simply find nothing. Every call blocks.
package final class KeychainAccessGroups: Sendable {
    private static let service = "dev.tessera.probes"

    private let program: String
    /// The groups by the group that was asked for.
    ///
    /// The file-based keychain is not here: it has no groups.
    private let resolved = Mutex<[String?: String?]>([:])

    /// Creates the groups of a process.
    ///
    /// - Parameter program: The account of the item that is added and removed. Programs with other groups need other names;
    ///   the processes of one program share one, so that a process that was killed leaves at most one item behind.
    package init(program: String) { self.program = program }

    /// Returns the place with its group, or the status with which the keychain refused the item.
    func resolve(_ place: KeychainPlace, in keychain: any KeychainItems) -> (status: Int32, place: KeychainPlace) {
        guard place.usesDataProtection else { return (KeychainStatus.success, place) }
        return self.resolved.withLock { resolved in
            var named = place
            if let group = resolved[place.accessGroup] {
                named.accessGroup = group
                return (KeychainStatus.success, named)
            }
            let (status, group) = self.group(of: place, in: keychain)
            guard status == KeychainStatus.success else { return (status, place) }
            named.accessGroup = place.accessGroup ?? group
            resolved.updateValue(named.accessGroup, forKey: place.accessGroup)
            return (KeychainStatus.success, named)
        }
    }

    /// Returns 0 if an item with the place's accessibility can be added now, or the status that says why not.
    func probe(_ place: KeychainPlace, in keychain: any KeychainItems) -> Int32 {
        self.resolved.withLock { _ in self.group(of: place, in: keychain).status }
    }

    /// Adds an item, looks in which group it is, and removes it.
    ///
    /// The lock is held, so that two threads do not interfere.
    private func group(of place: KeychainPlace, in keychain: any KeychainItems) -> (status: Int32, group: String?) {
        let item = KeychainItem(service: Self.service, account: self.program, label: "", attributes: [], data: [1])
        let query = KeychainQuery(service: item.service, account: item.account)
        // Another process of the program may remove the item between two calls.
        for _ in 0..<8 {
            // A process that was killed may have left one behind, perhaps in a group that was the first one then.
            _ = keychain.remove(query, from: place)
            let added = keychain.add(item, to: place)
            guard added == KeychainStatus.success || added == KeychainStatus.duplicateItem else { return (added, nil) }
            let (status, items) = keychain.items(query, in: place, secrets: false)
            if status == KeychainStatus.itemNotFound || items.count > 1 { continue }
            _ = keychain.remove(query, from: place)
            return (status, items.first?.accessGroup)
        }
        return (KeychainStatus.notAvailable, nil)
    }
}
