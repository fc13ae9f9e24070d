// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Security)
internal import Foundation
internal import Security
internal import Tessera
internal import TesseraSupport

extension KeychainSessionStore {
    /// A type of keychain.
    public enum Kind: Sendable, Hashable {
        /// The data-protection keychain, the only one on iOS, tvOS, watchOS and visionOS.
        ///
        /// On macOS, it requires a program that is signed with an access group.
        case dataProtection
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        /// The login keychain of macOS, which any program can use.
        case fileBased
        #endif
    }

    /// Creates a store in the system's keychain.
    ///
    /// An app that shares its sessions with an extension uses the same `accessGroup` and `appGroup` in both. The access
    /// group lets both read the items, and the app group makes them take turns refreshing. A lock in the app group's
    /// container is released before the process is suspended.
    ///
    /// - Parameters:
    ///   - service: The items' service. Programs with different services do not see each other's sessions.
    ///   - kind: The keychain. Systems other than macOS only have `.dataProtection`.
    ///   - accessGroup: The keychain access group for sharing items with other programs of the same team, or nil for
    ///     the program's first group.
    ///   - accessibility: When the items can be read. Existing items adopt it the next time they are saved. With the
    ///     default, a refresh token never moves to another device, where it could be replayed. The file-based keychain
    ///     ignores this parameter.
    ///   - appGroup: The app group whose container holds the lock files. The app must have its entitlement.
    ///   - lockDirectory: The directory for the lock files, which must be the same for all programs that share the
    ///     items. It takes precedence over `appGroup`. Nil uses a per-user directory, or one in the container of a
    ///     sandboxed app.
    ///   - lockTimeout: The time that an update waits for other updates before it fails with `busy`.
    public convenience init(
        service: String = "dev.tessera.sessions",
        kind: Kind = .dataProtection,
        accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
        appGroup: String? = nil,
        lockDirectory: String? = nil,
        lockTimeout: Duration = .seconds(60)
    ) {
        let directory: LockDirectory
        if let lockDirectory {
            directory = LockDirectory(path: UserFolders.absolute(lockDirectory))
        } else if let appGroup {
            let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup)
            directory = LockDirectory(inContainer: container?.path, ofAppGroup: appGroup)
        } else {
            directory = LockDirectory(path: UserFolders.current.lockDirectory)
        }
        self.init(
            SystemKeychain(),
            location: KeychainLocation(
                usesDataProtection: kind == .dataProtection,
                accessGroup: accessGroup,
                accessibility: accessibility
            ),
            service: service,
            lockDirectory: directory,
            lockTimeout: lockTimeout
        )
    }
}

extension StoreFactory {
    /// The `keychain:` scheme, which is a ``KeychainSessionStore`` in the data-protection keychain.
    ///
    /// The program must be signed with an access group. On macOS, `keychain:login` uses the login keychain, which any
    /// program can use.
    public static let keychain = StoreFactory(scheme: "keychain", form: Self.keychainForm) { rest in
        switch rest {
        case "": return Product(name: "keychain:") { KeychainSessionStore() }
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        case "login": return Product(name: "keychain:login") { KeychainSessionStore(kind: .fileBased) }
        default: throw StoreError(.unavailable, location: "keychain:", detail: "only login can follow the colon")
        #else
        default: throw StoreError(.unavailable, location: "keychain:", detail: "unexpected text after the colon")
        #endif
        }
    }

    private static var keychainForm: String {
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        "keychain: or keychain:login"
        #else
        "keychain:"
        #endif
    }
}

/// The system's keychain.
package struct SystemKeychain: KeychainItems {
    private static let processGroups = KeychainAccessGroups(
        program: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    )

    package init() {}

    package var accessGroups: KeychainAccessGroups { Self.processGroups }

    package func add(_ item: KeychainItem, to location: KeychainLocation) -> Int32 {
        var attributes = Self.attributes(of: location)
        attributes.merge(Self.contents(of: item, in: location)) { _, new in new }
        attributes[kSecAttrService as String] = item.service
        attributes[kSecAttrAccount as String] = item.account
        return SecItemAdd(attributes as CFDictionary, nil)
    }

    package func items(
        _ query: KeychainQuery,
        in location: KeychainLocation,
        secrets: Bool
    ) -> (status: Int32, items: [KeychainItem]) {
        var attributes = Self.attributes(of: location, query)
        attributes[kSecReturnAttributes as String] = true
        attributes[kSecReturnData as String] = secrets
        // The file-based keychain does not return several items together with their data.
        attributes[kSecMatchLimit as String] = secrets ? kSecMatchLimitOne : kSecMatchLimitAll
        var result: CFTypeRef?
        let status = SecItemCopyMatching(attributes as CFDictionary, &result)
        guard status == errSecSuccess else { return (status, []) }
        let found = (result as? [[String: Any]]) ?? (result as? [String: Any]).map { [$0] } ?? []
        return (status, found.compactMap(Self.item))
    }

    package func update(_ query: KeychainQuery, in location: KeychainLocation, to item: KeychainItem) -> Int32 {
        let contents = Self.contents(of: item, in: location)
        return SecItemUpdate(Self.attributes(of: location, query) as CFDictionary, contents as CFDictionary)
    }

    package func remove(_ query: KeychainQuery, from location: KeychainLocation) -> Int32 {
        SecItemDelete(Self.attributes(of: location, query) as CFDictionary)
    }

    package func message(_ status: Int32) -> String? { SecCopyErrorMessageString(status, nil) as String? }

    private static func attributes(of location: KeychainLocation, _ query: KeychainQuery? = nil) -> [String: Any] {
        var attributes: [String: Any] = [kSecClass as String: kSecClassGenericPassword]
        // Without this attribute, macOS searches, updates and deletes items in both keychains.
        attributes[kSecUseDataProtectionKeychain as String] = location.usesDataProtection
        if let accessGroup = location.accessGroup { attributes[kSecAttrAccessGroup as String] = accessGroup }
        if let query { attributes[kSecAttrService as String] = query.service }
        if let account = query?.account { attributes[kSecAttrAccount as String] = account }
        return attributes
    }

    /// Returns the writable attributes of an item, leaving out empty ones as other programs do.
    private static func contents(of item: KeychainItem, in location: KeychainLocation) -> [String: Any] {
        var contents: [String: Any] = [kSecValueData as String: Data(item.data)]
        // The file-based keychain uses access control lists instead.
        if location.usesDataProtection {
            contents[kSecAttrAccessible as String] = Self.value(of: location.accessibility)
        }
        if !item.label.isEmpty { contents[kSecAttrLabel as String] = item.label }
        if !item.attributes.isEmpty { contents[kSecAttrGeneric as String] = Data(item.attributes) }
        return contents
    }

    private static func item(_ attributes: [String: Any]) -> KeychainItem? {
        guard let service = attributes[kSecAttrService as String] as? String,
            let account = attributes[kSecAttrAccount as String] as? String
        else { return nil }
        func bytes(_ name: String) -> [UInt8] { (attributes[name] as? Data).map { Array($0) } ?? [] }
        return KeychainItem(
            service: service,
            account: account,
            label: attributes[kSecAttrLabel as String] as? String ?? "",
            attributes: bytes(kSecAttrGeneric as String),
            data: bytes(kSecValueData as String),
            accessGroup: attributes[kSecAttrAccessGroup as String] as? String
        )
    }

    private static func value(of accessibility: KeychainAccessibility) -> Any {
        switch accessibility {
        case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock
        case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .whenUnlocked: kSecAttrAccessibleWhenUnlocked
        case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        }
    }
}
#endif
