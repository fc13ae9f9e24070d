// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport
#if canImport(Security)
public import TesseraStores
#else
package import TesseraStores
#endif

/// Moves what a Mac program of before keeps in the file-based keychain into the data-protection keychain.
///
/// It is for the items of the ancestors: GTMAppAuth's and GoogleSignIn's (account `OAuth`, service the item's name), and
/// GTMOAuth2's. Tessera's own sessions are moved by `StoreTransfer`, from one `KeychainSessionStore` to another, which
/// takes their locks.
///
/// The old item is removed last: when the new one was read back, is the same, and the old one is still what was copied. A
/// move that was interrupted anywhere is begun again, and ends.
///
/// - SeeAlso: [TN3137: On Mac keychain APIs and implementations](https://developer.apple.com/documentation/technotes/tn3137-on-mac-keychains)
public struct KeychainPasswordMove: Sendable {
    /// What became of an item.
    public enum Outcome: String, Sendable, Hashable {
        /// It is in the data-protection keychain alone.
        case moved
        /// Another one is in the data-protection keychain; both stay.
        case occupied
        /// There is none in the file-based keychain.
        case absent
    }

    private let keychain: any KeychainItems
    private let query: KeychainQuery
    private let old: KeychainPlace
    private let resolvedNew: ResolvedKeychainPlace

    package init(
        _ keychain: any KeychainItems,
        service: String,
        account: String = "OAuth",
        accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
        hasFileBasedKeychain: Bool = KeychainPlace.hasFileBasedKeychain
    ) {
        self.keychain = keychain
        self.query = KeychainQuery(service: service, account: account)
        self.old = KeychainPlace(
            usesDataProtection: false,
            accessGroup: nil,
            accessibility: accessibility,
            hasFileBasedKeychain: hasFileBasedKeychain
        )
        let new = KeychainPlace(usesDataProtection: true, accessGroup: accessGroup, accessibility: accessibility)
        self.resolvedNew = ResolvedKeychainPlace(new, in: keychain)
    }

    #if canImport(Security)
    /// A move in the system's keychains.
    ///
    /// - Parameters:
    ///   - service: the item's service: `auth` for GoogleSignIn, the item's name for GTMAppAuth.
    ///   - account: the item's account.
    ///   - accessGroup: the group that gets the item; nil is the program's first one.
    ///   - accessibility: when the item can be read.
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
    /// - Returns: what became of it.
    /// - Throws: `StoreError` with the keychain's status; the item of before is then still there.
    public func run() async throws -> Outcome {
        try await BlockingExecutor.shared.run { try self.move() }
    }

    private func move() throws -> Outcome {
        // Only macOS has a file-based keychain.
        guard !self.old.usesDataProtection else { return .absent }
        // As often as somebody may change the item meanwhile.
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
            // A program of before wrote it meanwhile: the copy is out of date, and nobody's yet.
            try self.remove(from: new)
        }
        throw StoreError(.busy, place: self.place, detail: "the item changes faster than it is copied")
    }

    /// The new place, with its access group named: items of the program's other groups are left alone.
    private func new() throws(StoreError) -> KeychainPlace {
        let (status, place) = self.resolvedNew()
        try self.check(status, "SecItemAdd")
        return place
    }

    private func removeOld(_ copied: KeychainItem, _ new: KeychainPlace) throws -> Outcome {
        try self.remove(from: self.old)
        // Where both names mean one keychain, the copy went with it.
        guard try self.item(in: new)?.data == copied.data else {
            try self.check(self.keychain.add(copied, to: self.old), "SecItemAdd")
            throw self.lost
        }
        return .moved
    }

    private func item(in place: KeychainPlace) throws(StoreError) -> KeychainItem? {
        let (status, items) = self.keychain.items(self.query, in: place, secrets: true)
        if status == KeychainStatus.itemNotFound { return nil }
        try self.check(status, "SecItemCopyMatching")
        return items.first
    }

    private func remove(from place: KeychainPlace) throws(StoreError) {
        let status = self.keychain.remove(self.query, from: place)
        if status != KeychainStatus.itemNotFound { try self.check(status, "SecItemDelete") }
    }

    private func check(_ status: Int32, _ call: String) throws(StoreError) {
        guard status != KeychainStatus.success else { return }
        throw .keychain(
            status,
            call,
            self.place,
            message: self.keychain.message(status),
            usesDataProtection: false
        )
    }

    private var lost: StoreError {
        StoreError(.unavailable, place: self.place, detail: "what was written did not come back; the old item stays")
    }

    private var place: String { "keychain item \(self.query.service)" }
}
