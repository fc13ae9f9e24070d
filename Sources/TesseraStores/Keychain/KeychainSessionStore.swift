// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
package import TesseraSupport

/// A store that saves each session as a keychain item on Apple platforms.
///
/// By default, the store uses the data-protection keychain, which is the keychain of iOS. On macOS, that keychain
/// requires a program that is signed with an access group. The system encrypts the items and controls access to them,
/// as described in ``KeychainAccessibility``.
///
/// The keychain does not provide locks, so a file lock serializes an account's updates across processes. Processes
/// that do not share the lock directory, such as an app and its extension without an app group, can refresh at the same
/// time. Each process reads the item before a refresh, and again if the provider rejects its refresh token.
///
/// On a device that has not been unlocked since it started, every call throws `StoreError` with the code
/// `deviceLocked`, because a session may exist but cannot be read. With an accessibility that requires an unlocked
/// device, this error is thrown whenever the device is locked. A locked device is never reported as an empty store.
///
/// An item is updated in place, never removed and added again. The update is atomic, so an interrupted update leaves
/// either the old or the new record. An altered item is reported as `corrupt` and remains unchanged until the user
/// signs in to the account again or the account is removed.
///
/// - SeeAlso: [Keychain services](https://developer.apple.com/documentation/security/keychain-services)
public final class KeychainSessionStore: SessionStore {
    private let keychain: any KeychainItems
    private let usesDataProtection: Bool
    private let resolvedLocation: ResolvedKeychainLocation
    private let service: String
    private let locks: AccountLocks
    private let executor: BlockingExecutor

    package convenience init(
        _ keychain: any KeychainItems,
        location: KeychainLocation,
        service: String,
        lockDirectory: LockDirectory,
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        // The system may prompt the user, which must not delay the disk access of other stores.
        let executor = BlockingExecutor()
        let locks = AccountLocks(in: lockDirectory, timeout: lockTimeout, clock: clock, executor: executor)
        self.init(keychain, location: location, service: service, locks: locks, executor: executor)
    }

    /// Creates a store with custom locks, which must use the same executor.
    package init(
        _ keychain: any KeychainItems,
        location: KeychainLocation,
        service: String,
        locks: AccountLocks,
        executor: BlockingExecutor
    ) {
        self.keychain = keychain
        self.usesDataProtection = location.usesDataProtection
        self.resolvedLocation = ResolvedKeychainLocation(location, in: keychain)
        self.service = service
        self.executor = executor
        self.locks = locks
    }

    /// Returns an account's record, or nil if there is none.
    public func load(_ account: Account) async throws -> SessionRecord? {
        let key = AccountKey(account)
        return try await self.executor.run { try self.read(key) }
    }

    /// Returns every account that has a record, ordered by issuer, client and subject, without reading any secret.
    public func list() async throws -> [Account] {
        try await self.executor.run {
            let query = KeychainQuery(service: self.service)
            let (status, items) = self.keychain.items(query, in: try self.location(), secrets: false)
            if try self.isAbsent(status) { return [] }
            try self.check(status, "SecItemCopyMatching")
            let accounts = items.compactMap { KeychainLabel.account(of: $0) }
            // A malformed item must not hide the other accounts.
            if accounts.isEmpty { throw self.damaged("an item's attributes are malformed") }
            return accounts.sorted(by: AccountKey.precedes)
        }
    }

    /// Removes an account's record, even if it cannot be read, after waiting for any update of it to finish.
    public func remove(_ account: Account) async throws {
        try await self.update(account) { try await $0.remove() }
    }

    /// Runs a closure while no other task or process on this device updates the account.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        let key = AccountKey(account)
        return try await self.locks.exclusively(key) { tenure in try await body(self.entry(key, tenure)) }
    }

    /// Checks that the keychain can save a session by adding, reading and removing an item of similar size.
    public func probe() async throws {
        try await self.locks.exclusively(.probe) { _ in
            try await self.executor.run {
                let account = Account(issuer: "probe", clientID: "probe", subject: "probe")
                var item = KeychainLabel.item(of: account, in: self.probes, label: "Tessera: probe")
                item.data = [UInt8](repeating: 0x5A, count: 8192)
                let query = KeychainQuery(service: item.service, account: item.account)
                try self.write(item)
                let (status, items) = self.keychain.items(query, in: try self.location(), secrets: true)
                try self.check(status, "SecItemCopyMatching")
                guard items.first?.data == item.data else {
                    throw StoreError(.notPersisted, location: self.name)
                }
                try self.delete(query)
            }
        }
    }

    private func entry(_ key: AccountKey, _ tenure: EntryLifetime) -> SessionStoreEntry {
        SessionStoreEntry(
            of: key,
            at: self.name,
            during: tenure,
            on: self.executor,
            read: { try self.read(key) },
            write: { record in try self.write(record) },
            remove: { try self.delete(KeychainQuery(service: self.service, account: key.name)) }
        )
    }
}

// These methods block and are only called on the executor.
extension KeychainSessionStore {
    private var probes: String { self.service + ".probes" }
    private var name: String { "keychain service \(self.service)" }

    private func location() throws -> KeychainLocation {
        let (status, location) = self.resolvedLocation()
        try self.check(status, "SecItemAdd")
        return location
    }

    private func read(_ key: AccountKey) throws -> SessionRecord? {
        let query = KeychainQuery(service: self.service, account: key.name)
        let (status, items) = self.keychain.items(query, in: try self.location(), secrets: true)
        if try self.isAbsent(status) { return nil }
        try self.check(status, "SecItemCopyMatching")
        guard let item = items.first, KeychainLabel.account(of: item) != nil else {
            throw self.damaged("its attributes are malformed")
        }
        return try ChecksummedRecord.record(of: key, in: item.data, location: self.name)
    }

    private func write(_ record: SessionRecord) throws {
        var item = KeychainLabel.item(of: record.account, in: self.service, label: KeychainLabel.text(record))
        item.data = ChecksummedRecord.text(of: record)
        try self.write(item)
    }

    /// Updates the item, or adds it if it does not exist.
    ///
    /// An existing item is never removed and added again.
    private func write(_ item: KeychainItem) throws {
        let query = KeychainQuery(service: item.service, account: item.account)
        let location = try self.location()
        let status = self.keychain.update(query, in: location, to: item)
        guard status == KeychainStatus.itemNotFound else { return try self.check(status, "SecItemUpdate") }
        let added = self.keychain.add(item, to: location)
        guard added == KeychainStatus.duplicateItem else { return try self.check(added, "SecItemAdd") }
        // A process that does not use the lock, such as an older program, added the item first.
        try self.check(self.keychain.update(query, in: location, to: item), "SecItemUpdate")
    }

    private func delete(_ query: KeychainQuery) throws {
        let status = self.keychain.remove(query, from: try self.location())
        if try !self.isAbsent(status) { try self.check(status, "SecItemDelete") }
    }

    /// Returns whether a status means that the item does not exist.
    ///
    /// - Throws: `StoreError` with the code `deviceLocked` if the item may exist but cannot be found while the device
    ///   is locked.
    private func isAbsent(_ status: Int32) throws -> Bool {
        guard status == KeychainStatus.itemNotFound else { return false }
        try self.check(self.resolvedLocation.absence(), "SecItemAdd")
        return true
    }

    private func check(_ status: Int32, _ call: String) throws {
        guard status != KeychainStatus.success else { return }
        throw StoreError.keychain(
            status,
            call,
            self.name,
            message: self.keychain.message(status),
            usesDataProtection: self.usesDataProtection
        )
    }

    private func damaged(_ words: String) -> StoreError { StoreError(.corrupt, location: self.name, detail: words) }
}

extension StoreError {
    /// Returns the error for a keychain call, including its status.
    ///
    /// - SeeAlso: [Security framework result
    ///   codes](https://developer.apple.com/documentation/security/security-framework-result-codes)
    package static func keychain(
        _ status: Int32,
        _ call: String,
        _ location: String,
        message: String?,
        usesDataProtection: Bool
    ) -> StoreError {
        let words = ["\(call): \(message ?? "status \(status)")", Self.advice(status)].compactMap { $0 }
        let code = Self.code(status, usesDataProtection: usesDataProtection)
        return StoreError(code, location: location, status: status, detail: words.joined(separator: "; "))
    }

    private static func code(_ status: Int32, usesDataProtection: Bool) -> Code {
        switch status {
        case KeychainStatus.interactionNotAllowed where usesDataProtection: .deviceLocked
        case KeychainStatus.interactionNotAllowed, KeychainStatus.userCanceled, KeychainStatus.noSuchKeychain: .locked
        case KeychainStatus.authenticationFailed, KeychainStatus.writePermission: .permissionDenied
        case KeychainStatus.missingEntitlement, KeychainStatus.notAvailable, KeychainStatus.unimplemented: .unavailable
        case KeychainStatus.diskFull: .full
        case KeychainStatus.decode: .corrupt
        default: .system
        }
    }

    private static func advice(_ status: Int32) -> String? {
        switch status {
        case KeychainStatus.missingEntitlement:
            "the program is not signed with a keychain access group. Sign it, or use the file-based keychain on macOS"
        default:
            nil
        }
    }
}

/// The keychain statuses that a store handles, with the values of `SecBase.h` and `MacErrors.h`.
package enum KeychainStatus {
    package static let success: Int32 = 0
    package static let duplicateItem: Int32 = -25299
    package static let itemNotFound: Int32 = -25300
    package static let interactionNotAllowed: Int32 = -25308
    package static let authenticationFailed: Int32 = -25293
    package static let notAvailable: Int32 = -25291
    package static let noSuchKeychain: Int32 = -25294
    package static let missingEntitlement: Int32 = -34018
    package static let userCanceled: Int32 = -128
    package static let unimplemented: Int32 = -4
    package static let invalidParameter: Int32 = -50
    package static let diskFull: Int32 = -34
    package static let writePermission: Int32 = -61
    package static let decode: Int32 = -26275
}
