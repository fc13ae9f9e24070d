// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraSupport

/// Keeps each session as an item of the keychain of Apple's systems.
///
/// The data-protection keychain by default: it is the one that iOS has, and needs a program that is signed with an
/// access group on macOS too. The system encrypts the items and decides who may read them; see ``KeychainAccessibility``.
///
/// The keychain has no lock: updates of one account exclude each other, across processes too, by a lock on a file.
/// Processes that do not share the lock's directory, such as an app and its extension without an app group, can refresh
/// at the same time; each reads the item before a refresh, and again when the provider rejects its refresh token.
///
/// On a device that has not been unlocked since it was started every call throws `StoreError` `deviceLocked`: a session
/// may be stored, but it cannot be read yet. With an accessibility that needs an unlocked device, the same error is thrown
/// whenever it is locked; a locked device is never reported as an empty store.
///
/// A saved item is replaced in place, never removed and added again. A record whose save was interrupted is the old or
/// the new one: the system's call is atomic. An item of which any byte changed is `corrupt`; it stays as it is until the
/// account signs in again or is removed.
///
/// - SeeAlso: [Keychain services](https://developer.apple.com/documentation/security/keychain-services)
public final class KeychainSessionStore: SessionStore {
    private let keychain: any KeychainItems
    private let usesDataProtection: Bool
    private let resolvedPlace: ResolvedKeychainPlace
    private let service: String
    private let locks: AccountLocks
    private let executor: BlockingExecutor

    package init(
        _ keychain: any KeychainItems,
        place: KeychainPlace,
        service: String,
        lockDirectory: LockDirectory,
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.keychain = keychain
        self.usesDataProtection = place.usesDataProtection
        self.resolvedPlace = ResolvedKeychainPlace(place, in: keychain)
        self.service = service
        // The system may ask the person: others' disks do not wait for that.
        self.executor = BlockingExecutor()
        self.locks = AccountLocks(in: lockDirectory, timeout: lockTimeout, clock: clock, executor: self.executor)
    }

    /// The record of an account, nil where there is none.
    public func load(_ account: Account) async throws -> SessionRecord? {
        let key = AccountKey(account)
        return try await self.executor.run { try self.read(key) }
    }

    /// Every account that has a record, ordered by issuer, client and subject; reads no secret.
    public func list() async throws -> [Account] {
        try await self.executor.run {
            let query = KeychainQuery(service: self.service)
            let (status, items) = self.keychain.items(query, in: try self.place(), secrets: false)
            if try self.isAbsent(status) { return [] }
            try self.check(status, "SecItemCopyMatching")
            let accounts = items.compactMap { KeychainLabel.account(of: $0) }
            // An item of somebody's making must not lock the others out.
            if accounts.isEmpty { throw self.damaged("an item's attributes make no sense") }
            return accounts.sorted(by: AccountKey.precedes)
        }
    }

    /// Removes an account's record, even one that cannot be read; waits for an update of it to end.
    public func remove(_ account: Account) async throws {
        try await self.update(account) { try await $0.remove() }
    }

    /// Runs `body` while nobody else updates this account, in this process or another one of this device.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        let key = AccountKey(account)
        return try await self.locks.exclusively(key) { tenure in try await body(self.entry(key, tenure)) }
    }

    /// Adds an item of a session's size, reads it back, removes it.
    public func probe() async throws {
        try await self.locks.exclusively(.probe) { _ in
            try await self.executor.run {
                let account = Account(issuer: "probe", clientID: "probe", subject: "probe")
                var item = KeychainLabel.item(of: account, in: self.probes, label: "Tessera: probe")
                item.data = [UInt8](repeating: 0x5A, count: 8192)
                let query = KeychainQuery(service: item.service, account: item.account)
                try self.write(item)
                let (status, items) = self.keychain.items(query, in: try self.place(), secrets: true)
                try self.check(status, "SecItemCopyMatching")
                guard items.first?.data == item.data else {
                    throw StoreError(.notKept, place: self.name)
                }
                try self.delete(query)
            }
        }
    }

    private func entry(_ key: AccountKey, _ tenure: Tenure) -> SessionStoreEntry {
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

// What blocks: only the executor runs it.
extension KeychainSessionStore {
    private var probes: String { self.service + ".probes" }
    private var name: String { "keychain service \(self.service)" }

    private func place() throws -> KeychainPlace {
        let (status, place) = self.resolvedPlace()
        try self.check(status, "SecItemAdd")
        return place
    }

    private func read(_ key: AccountKey) throws -> SessionRecord? {
        let query = KeychainQuery(service: self.service, account: key.name)
        let (status, items) = self.keychain.items(query, in: try self.place(), secrets: true)
        if try self.isAbsent(status) { return nil }
        try self.check(status, "SecItemCopyMatching")
        guard let item = items.first, KeychainLabel.account(of: item) != nil else {
            throw self.damaged("its attributes make no sense")
        }
        return try ChecksummedRecord.record(of: key, in: item.data, place: self.name)
    }

    private func write(_ record: SessionRecord) throws {
        var item = KeychainLabel.item(of: record.account, in: self.service, label: KeychainLabel.text(record))
        item.data = ChecksummedRecord.text(of: record)
        try self.write(item)
    }

    /// Updates the item, or adds it where there is none; never removes one to add another.
    private func write(_ item: KeychainItem) throws {
        let query = KeychainQuery(service: item.service, account: item.account)
        let place = try self.place()
        let status = self.keychain.update(query, in: place, to: item)
        guard status == KeychainStatus.itemNotFound else { return try self.check(status, "SecItemUpdate") }
        let added = self.keychain.add(item, to: place)
        guard added == KeychainStatus.duplicateItem else { return try self.check(added, "SecItemAdd") }
        // Somebody without our lock, an older program perhaps, was quicker.
        try self.check(self.keychain.update(query, in: place, to: item), "SecItemUpdate")
    }

    private func delete(_ query: KeychainQuery) throws {
        let status = self.keychain.remove(query, from: try self.place())
        if try !self.isAbsent(status) { try self.check(status, "SecItemDelete") }
    }

    /// Whether a status means that there is no such item.
    ///
    /// - Throws: `deviceLocked` if the item may only not be found because the device is locked.
    private func isAbsent(_ status: Int32) throws -> Bool {
        guard status == KeychainStatus.itemNotFound else { return false }
        try self.check(self.resolvedPlace.absence(), "SecItemAdd")
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

    private func damaged(_ words: String) -> StoreError { StoreError(.corrupt, place: self.name, detail: words) }
}

extension StoreError {
    /// The error of a call to the keychain; the status is always kept.
    ///
    /// - SeeAlso: [Security framework result codes](https://developer.apple.com/documentation/security/security-framework-result-codes)
    package static func keychain(
        _ status: Int32,
        _ call: String,
        _ place: String,
        message: String?,
        usesDataProtection: Bool
    ) -> StoreError {
        let words = ["\(call): \(message ?? "status \(status)")", Self.advice(status)].compactMap { $0 }
        let code = Self.code(status, usesDataProtection: usesDataProtection)
        return StoreError(code, place: place, status: status, detail: words.joined(separator: "; "))
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
            "the program is not signed with a keychain access group; sign it, or choose the file-based keychain on macOS"
        default:
            nil
        }
    }
}

/// The statuses that mean something to a store, as `SecBase.h` and `MacErrors.h` number them.
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
