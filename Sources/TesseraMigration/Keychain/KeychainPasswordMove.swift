// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport
#if canImport(Security)
public import TesseraStores
#else
package import TesseraStores
#endif

/// Moves a password item that belongs to an older Mac app from the file-based to the data-protection keychain.
///
/// Use this type for items from GTMAppAuth and GoogleSignIn (whose account is `OAuth` and whose service is the item's
/// name) and from GTMOAuth2. To move Tessera sessions, use `StoreTransfer` with two `KeychainSessionStore` values,
/// which locks the accounts.
///
/// The old item is removed last, after the new item has been read back and compared and only if the old one has not
/// changed. An interrupted move can be repeated.
///
/// - SeeAlso: [TN3137: On Mac keychain APIs and implementations](https://developer.apple.com/documentation/technotes/tn3137-on-mac-keychains)
public struct KeychainPasswordMove: Sendable {
    /// The result of a move.
    public enum Result: String, Sendable, Hashable {
        /// The item is now only in the data-protection keychain.
        case moved
        /// The data-protection keychain has a different item, so both items remain.
        case occupied
        /// The file-based keychain does not have the item.
        case absent
    }

    private let keychain: any KeychainItems
    private let query: KeychainQuery
    private let old: KeychainLocation
    private let resolvedNew: ResolvedKeychainLocation

    package init(
        _ keychain: any KeychainItems,
        service: String,
        account: String = "OAuth",
        accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
        hasFileBasedKeychain: Bool = KeychainLocation.hasFileBasedKeychain
    ) {
        self.keychain = keychain
        self.query = KeychainQuery(service: service, account: account)
        self.old = KeychainLocation(
            usesDataProtection: false,
            accessGroup: nil,
            accessibility: accessibility,
            hasFileBasedKeychain: hasFileBasedKeychain
        )
        let new = KeychainLocation(usesDataProtection: true, accessGroup: accessGroup, accessibility: accessibility)
        self.resolvedNew = ResolvedKeychainLocation(new, in: keychain)
    }

    #if canImport(Security)
    /// Creates a move between the system's keychains.
    ///
    /// - Parameters:
    ///   - service: The item's service: `auth` for GoogleSignIn, the item's name for GTMAppAuth.
    ///   - account: The item's account.
    ///   - accessGroup: The access group of the new item, or nil for the app's first group.
    ///   - accessibility: When the new item can be read.
    public init(
        service: String,
        account: String = "OAuth",
        accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly
    ) {
        self.init(
            SystemKeychain(),
            service: service,
            account: account,
            accessGroup: accessGroup,
            accessibility: accessibility
        )
    }
    #endif

    /// Moves the item.
    ///
    /// - Returns: The result of the move.
    /// - Throws: `StoreError` with the keychain's status. In this case, the old item has not been removed.
    public func run() async throws -> Result {
        try await Self.executor.run { try self.move() }
    }

    /// Runs one move at a time.
    ///
    /// The keychain may show a dialog, which must not block the stores of this process.
    private static let executor = BlockingExecutor()

    private func move() throws -> Result {
        // Only macOS has a file-based keychain.
        guard !self.old.usesDataProtection else { return .absent }
        // Another process may change the item in the meantime.
        for _ in 0..<3 {
            guard let before = try self.item(in: self.old) else { return .absent }
            let new = try self.new()
            if let present = try self.item(in: new) {
                guard present.data == before.data else { return .occupied }
            } else {
                try self.check(self.keychain.add(before, to: new), "SecItemAdd")
            }
            guard try self.item(in: new)?.data == before.data else { throw self.lost }
            if try self.item(in: self.old)?.data == before.data { return try self.removeOld(before, new) }
            // The old item has changed in the meantime, so the copy is out of date.
            try self.remove(from: new)
        }
        throw StoreError(.busy, location: self.location, detail: "the item kept changing while it was being copied")
    }

    /// Returns the new location with an explicit access group, so that items of the app's other groups are not
    /// affected.
    private func new() throws(StoreError) -> KeychainLocation {
        let (status, location) = self.resolvedNew()
        try self.check(status, "SecItemAdd")
        return location
    }

    private func removeOld(_ copied: KeychainItem, _ new: KeychainLocation) throws -> Result {
        try self.remove(from: self.old)
        // If both locations are the same keychain, the copy was removed too.
        guard try self.item(in: new)?.data == copied.data else {
            try self.check(self.keychain.add(copied, to: self.old), "SecItemAdd")
            throw self.lost
        }
        return .moved
    }

    private func item(in location: KeychainLocation) throws(StoreError) -> KeychainItem? {
        let (status, items) = self.keychain.items(self.query, in: location, secrets: true)
        if status == KeychainStatus.itemNotFound { return nil }
        try self.check(status, "SecItemCopyMatching")
        return items.first
    }

    private func remove(from location: KeychainLocation) throws(StoreError) {
        let status = self.keychain.remove(self.query, from: location)
        if status != KeychainStatus.itemNotFound { try self.check(status, "SecItemDelete") }
    }

    private func check(_ status: Int32, _ call: String) throws(StoreError) {
        guard status != KeychainStatus.success else { return }
        throw .keychain(
            status,
            call,
            self.location,
            message: self.keychain.message(status),
            usesDataProtection: false
        )
    }

    private var lost: StoreError {
        StoreError(
            .unavailable,
            location: self.location,
            detail: "the new item could not be read back, so the old item remains"
        )
    }

    private var location: String { "keychain item \(self.query.service)" }
}
