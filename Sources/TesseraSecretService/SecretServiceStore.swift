// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraStores
internal import TesseraSupport

/// A store that saves each session as an item in the user's keyring on the session bus.
///
/// The store supports GNOME Keyring, KWallet, KeePassXC and other keyrings that implement the
/// [Secret Service interface](https://specifications.freedesktop.org/secret-service-spec/latest/).
///
/// The keyring encrypts its file with the user's password. While it is unlocked, every program in the user's login
/// session can read every item, including those of this store. New items are added to the default collection. Items are
/// found in all unlocked collections, and no item is reported as missing while the default collection is locked. To
/// list the items, run `secret-tool search xdg:schema dev.tessera.session`. The issuer, client and subject are
/// attributes, which are not secret. An altered item is reported as `corrupt` and remains unchanged until it is removed
/// or the user signs in to the account again.
///
/// libsecret (`libsecret-1.so.0`, in the Debian package libsecret-1-0) is loaded at the first call. Calls fail with
/// `unavailable` if libsecret, the session bus or a keyring is missing, and with `locked` if the keyring is not
/// unlocked. A locked keyring is never treated as empty. The user is prompted to unlock it only if there is a display.
/// Each call takes at most 10 seconds, or 2 minutes while the user is being prompted.
///
/// The durability of a save depends on the keyring. gnome-keyring writes a new file, syncs it and renames it before it
/// responds. If it is killed, it therefore has either the old or the new session. A keyring that responds before it
/// writes can lose the last refresh in a power failure.
///
/// A file lock in `$XDG_RUNTIME_DIR/tessera/locks` serializes an account's updates across the user's processes.
public final class SecretServiceStore: SessionStore {
    package static let schema = "dev.tessera.session"

    private let service: SecretService
    private let schema: String
    private let locks: AccountLocks

    /// Creates a store in the keyring on the session bus, which is not accessed before the first call.
    ///
    /// - Parameters:
    ///   - lockTimeout: The time that an update waits for other updates, in this and other processes, before it fails
    ///     with `busy`.
    ///   - clock: The clock that measures the wait.
    public convenience init(
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(service: .shared, schema: Self.schema, lockTimeout: lockTimeout, clock: clock)
    }

    package init(
        service: SecretService,
        schema: String,
        lockTimeout: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.service = service
        self.schema = schema
        self.locks = AccountLocks(
            in: LockDirectory(path: UserFolders.current.lockDirectory),
            timeout: lockTimeout,
            clock: clock,
            executor: service.executor
        )
    }

    /// Returns an account's last saved record, or nil if there is none.
    public func load(_ account: Account) async throws -> SessionRecord? {
        let key = AccountKey(account)
        return try await self.service.run { [self] connection in
            try self.record(of: key, connection)
        }
    }

    /// Returns every account that has a record, ordered by issuer, client and subject.
    public func list() async throws -> [Account] {
        let wanted = try SecretServiceAttributes(schema: self.schema)
        let items = try await self.service.run { connection in
            try connection.items(wanted, withValues: false)
        }
        var accounts: [AccountKey: Account] = [:]
        for case let account? in items.map(\.account) { accounts[AccountKey(account)] = account }
        // A malformed item must not hide the other accounts.
        if accounts.isEmpty, !items.isEmpty { throw SecretServiceItem.damaged("an item's attributes are malformed") }
        return accounts.values.sorted(by: AccountKey.precedes)
    }

    /// Removes an account's record, even if it cannot be read.
    ///
    /// Waits for any update of the record to finish first.
    public func remove(_ account: Account) async throws {
        try await self.update(account) { try await $0.remove() }
    }

    /// Runs a closure while none of the user's other tasks or processes updates the account.
    ///
    /// - Throws: `StoreError`, for example with the code `busy` if the lock cannot be acquired in time, or `locked` or
    ///   `unavailable`. Throws `CancellationError` if the task is canceled before the lock is acquired, or any error
    ///   that `body` throws.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        let key = AccountKey(account)
        return try await self.locks.exclusively(key) { tenure in try await body(self.entry(key, tenure)) }
    }

    /// Checks that a session can be saved by storing, reading and removing an item of similar size.
    public func probe() async throws {
        try await self.locks.exclusively(.probe) { _ in
            let wanted = try SecretServiceAttributes(schema: self.schema + ".probe")
            let value = [UInt8](repeating: UInt8(ascii: "t"), count: 8192)
            try await self.service.run { connection in
                try connection.store(value, as: wanted, label: "Tessera: temporary test item")
                let found = try connection.items(wanted, withValues: true)
                try connection.remove(wanted)
                guard found.map(\.value) == [value] else {
                    throw StoreError(.notPersisted, location: SecretService.location)
                }
            }
        }
    }

    /// Returns the last saved record, which is the newest one if several collections contain the account.
    private func record(
        of key: AccountKey,
        _ connection: borrowing SecretServiceConnection
    ) throws -> SessionRecord? {
        let wanted = try SecretServiceItem.attributes(of: key, schema: self.schema)
        var newest: SessionRecord?
        for item in try connection.items(wanted, withValues: true) {
            guard let record = try item.record(of: key) else { continue }
            if record.generation >= newest?.generation ?? .min { newest = record }
        }
        return newest
    }

    private func store(
        _ record: SessionRecord,
        _ connection: borrowing SecretServiceConnection
    ) throws {
        try connection.store(
            ChecksummedRecord.text(of: record),
            as: try SecretServiceItem.attributes(of: record.account, schema: self.schema),
            // Match only on the account's key. Otherwise, an item that lacks another attribute would stay corrupt
            // forever.
            key: try SecretServiceItem.attributes(of: AccountKey(record.account), schema: self.schema),
            label: SecretServiceItem.label(of: record)
        )
    }

    private func entry(_ key: AccountKey, _ tenure: EntryLifetime) -> SessionStoreEntry {
        SessionStoreEntry(
            of: key,
            at: SecretService.location,
            during: tenure,
            on: self.service.executor,
            read: { try self.service.runBlocking { try self.record(of: key, $0) } },
            write: { record in try self.service.runBlocking { try self.store(record, $0) } },
            remove: {
                let attributes = try SecretServiceItem.attributes(of: key, schema: self.schema)
                try self.service.runBlocking { try $0.remove(attributes) }
            }
        )
    }
}

extension StoreFactory {
    /// The `secret-service:` scheme, which is a ``SecretServiceStore``.
    public static let secretService = StoreFactory(
        scheme: "secret-service",
        form: "secret-service:"
    ) { rest in
        guard rest.isEmpty else {
            throw StoreError(.unavailable, location: "secret-service:", detail: "unexpected text after the colon")
        }
        return Product(name: "secret-service:") { SecretServiceStore() }
    }
}
