// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Security)
internal import Foundation
internal import Security
internal import Tessera
internal import TesseraSupport

extension KeychainSessionStore {
    /// Which of macOS's keychains.
    public enum Kind: Sendable, Hashable {
        /// The only keychain of iOS, tvOS, watchOS and visionOS; on macOS for programs that are signed with an access group.
        case dataProtection
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        /// The login keychain, which any program may use. Other systems do not have it.
        case fileBased
        #endif
    }

    /// Creates a store in the system's keychain.
    ///
    /// An app that shares its sessions with an extension names the same `accessGroup` and the same `appGroup` in both:
    /// the first lets both read the items, the second makes them take turns at refreshing. A lock in the app group's
    /// container is released before the process is suspended.
    ///
    /// - Parameters:
    ///   - service: The items' service. Two programs with different services do not see each other's sessions.
    ///   - kind: The keychain. Systems other than macOS only have `.dataProtection`.
    ///   - accessGroup: The keychain access group that shares the items with other programs of the same team; nil is the
    ///     program's first group.
    ///   - accessibility: When the items can be read. Items of earlier versions get it when they are next saved. The
    ///     default never moves a refresh token to another device, where it would be replayed. The file-based keychain
    ///     ignores it.
    ///   - appGroup: The app group in whose container the lock files are; the app must have its entitlement.
    ///   - lockDirectory: The directory of the lock files, the same for all programs that share the items; nil is a
    ///     directory of this user's, which in an app is the app's own container. Takes precedence over `appGroup`.
    ///   - lockTimeout: How long an update may wait for others before it fails with `busy`.
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
            directory = LockDirectory(path: UserPlaces.absolute(lockDirectory))
        } else if let appGroup {
            let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup)
            directory = LockDirectory(inContainer: container?.path, ofAppGroup: appGroup)
        } else {
            directory = LockDirectory(path: UserPlaces.current.lockDirectory)
        }
        self.init(
            SystemKeychain(),
            place: KeychainPlace(
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
    /// `keychain:`, a ``KeychainSessionStore`` in the data-protection keychain, for programs that are signed with an
    /// access group.
    ///
    /// On macOS also `keychain:login`, in the login keychain, which any program may use.
    public static let keychain = StoreFactory(scheme: "keychain", form: Self.keychainForm) { rest in
        switch rest {
        case "": return Product(name: "keychain:") { KeychainSessionStore() }
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        case "login": return Product(name: "keychain:login") { KeychainSessionStore(kind: .fileBased) }
        default: throw StoreError(.unavailable, place: "keychain:", detail: "nothing but login may follow the colon")
        #else
        default: throw StoreError(.unavailable, place: "keychain:", detail: "nothing may follow the colon")
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

    package func add(_ item: KeychainItem, to place: KeychainPlace) -> Int32 {
        var attributes = Self.attributes(of: place)
        attributes.merge(Self.contents(of: item, in: place)) { _, new in new }
        attributes[kSecAttrService as String] = item.service
        attributes[kSecAttrAccount as String] = item.account
        return SecItemAdd(attributes as CFDictionary, nil)
    }

    package func items(
        _ query: KeychainQuery,
        in place: KeychainPlace,
        secrets: Bool
    ) -> (status: Int32, items: [KeychainItem]) {
        var attributes = Self.attributes(of: place, query)
        attributes[kSecReturnAttributes as String] = true
        attributes[kSecReturnData as String] = secrets
        // Several items are never given together with their data by the file-based keychain.
        attributes[kSecMatchLimit as String] = secrets ? kSecMatchLimitOne : kSecMatchLimitAll
        var result: CFTypeRef?
        let status = SecItemCopyMatching(attributes as CFDictionary, &result)
        guard status == errSecSuccess else { return (status, []) }
        let found = (result as? [[String: Any]]) ?? (result as? [String: Any]).map { [$0] } ?? []
        return (status, found.compactMap(Self.item))
    }

    package func update(_ query: KeychainQuery, in place: KeychainPlace, to item: KeychainItem) -> Int32 {
        let contents = Self.contents(of: item, in: place)
        return SecItemUpdate(Self.attributes(of: place, query) as CFDictionary, contents as CFDictionary)
    }

    package func remove(_ query: KeychainQuery, from place: KeychainPlace) -> Int32 {
        SecItemDelete(Self.attributes(of: place, query) as CFDictionary)
    }

    package func message(_ status: Int32) -> String? { SecCopyErrorMessageString(status, nil) as String? }

    private static func attributes(of place: KeychainPlace, _ query: KeychainQuery? = nil) -> [String: Any] {
        var attributes: [String: Any] = [kSecClass as String: kSecClassGenericPassword]
        if place.usesDataProtection { attributes[kSecUseDataProtectionKeychain as String] = true }
        if let accessGroup = place.accessGroup { attributes[kSecAttrAccessGroup as String] = accessGroup }
        if let query { attributes[kSecAttrService as String] = query.service }
        if let account = query?.account { attributes[kSecAttrAccount as String] = account }
        return attributes
    }

    /// What is empty is left out: items of other programs have neither.
    private static func contents(of item: KeychainItem, in place: KeychainPlace) -> [String: Any] {
        var contents: [String: Any] = [kSecValueData as String: Data(item.data)]
        // The file-based keychain has access lists instead.
        if place.usesDataProtection { contents[kSecAttrAccessible as String] = Self.value(of: place.accessibility) }
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
