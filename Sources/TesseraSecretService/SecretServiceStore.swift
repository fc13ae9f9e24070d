// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraStores
internal import TesseraSupport

/// Keeps each session as an item of the person's keyring: GNOME Keyring, KWallet, KeePassXC, or another one that speaks the
/// [Secret Service interface](https://specifications.freedesktop.org/secret-service-spec/latest/) on the session bus.
///
/// The keyring encrypts its file with the person's password. While it is unlocked every program of the session may read
/// every item, this one's too. A new item goes to the default collection; items are found in every one that is unlocked,
/// and nothing is said to be missing while the default one is locked. `secret-tool search xdg:schema
/// dev.tessera.session` shows them; issuer, client and subject are attributes, which are no secret. An item whose text
/// changed in any byte is `corrupt`; it stays as it is until it is removed or the account signs in again.
///
/// libsecret (`libsecret-1.so.0`; Debian: libsecret-1-0) is opened at the first call. Without it, without a session bus
/// or a keyring, calls fail with `unavailable`; with a locked one that nobody unlocks, with `locked`, never as if it were
/// empty. A person is asked to unlock it only where a display is there. Every call is bounded: ten seconds, two minutes
/// while somebody is asked.
///
/// A save is as durable as the keyring makes it. gnome-keyring writes a new file, syncs and renames it before it answers,
/// so that killed at any moment it has the old session or the new one. Another keyring may answer first and write later:
/// there a machine that loses its power may lose the last refresh.
///
/// Updates of one account exclude each other across the processes of this user by a lock on a file in
/// `$XDG_RUNTIME_DIR/tessera/locks`.
public final class SecretServiceStore: SessionStore {
    package static let schema = "dev.tessera.session"

    private let service: SecretService
    private let schema: String
    private let locks: AccountLocks

    /// A store in the keyring of the session bus, which is not asked before the first call.
    ///
    /// - Parameters:
    ///   - lockTimeout: how long an update may wait for others, of this process and of all, before it fails with `busy`.
    ///   - clock: what waits.
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
            in: LockDirectory(path: UserPlaces.current.lockDirectory),
            timeout: lockTimeout,
            clock: clock,
            executor: service.executor
        )
    }

    /// The record of an account as it was last saved, nil where there is none.
    public func load(_ account: Account) async throws -> SessionRecord? {
        let key = AccountKey(account)
        return try await self.service.run { [self] connection in
            try self.record(of: key, connection)
        }
    }

    /// Every account that has a record, ordered by issuer, client and subject.
    public func list() async throws -> [Account] {
        let wanted = try SecretServiceAttributes(schema: self.schema)
        let items = try await self.service.run { connection in
            try connection.items(wanted, withValues: false)
        }
        var accounts: [AccountKey: Account] = [:]
        for case let account? in items.map(\.account) { accounts[AccountKey(account)] = account }
        // An item of somebody's making must not lock the others out.
        if accounts.isEmpty, !items.isEmpty { throw SecretServiceItem.damaged("an item's attributes make no sense") }
        return accounts.values.sorted(by: AccountKey.precedes)
    }

    /// Removes an account's record, even one that cannot be read.
    ///
    /// Waits for an update of it to end.
    public func remove(_ account: Account) async throws {
        try await self.update(account) { try await $0.remove() }
    }

    /// Runs `body` while nobody else updates this account, in this process or another one of this user.
    ///
    /// - Throws: `StoreError` `busy` when the lock cannot be had in time, `locked`, `unavailable`, …; what `body`
    ///   throws; `CancellationError` when the task is cancelled before its turn.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        let key = AccountKey(account)
        return try await self.locks.exclusively(key) { tenure in try await body(self.entry(key, tenure)) }
    }

    /// Keeps an item of a session's size in the default collection, reads it back and removes it.
    public func probe() async throws {
        try await self.locks.exclusively(.probe) { _ in
            let wanted = try SecretServiceAttributes(schema: self.schema + ".probe")
            let value = [UInt8](repeating: UInt8(ascii: "t"), count: 8192)
            try await self.service.run { connection in
                try connection.store(value, as: wanted, label: "Tessera: a test, to be removed")
                let found = try connection.items(wanted, withValues: true)
                try connection.remove(wanted)
                guard found.map(\.value) == [value] else {
                    throw StoreError(.notKept, place: SecretService.place)
                }
            }
        }
    }

    /// The record that was saved last; should there be items in several collections, the newest of them.
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
            // An item that is found by the account's key and lacks another attribute would be damage for ever.
            key: try SecretServiceItem.attributes(of: AccountKey(record.account), schema: self.schema),
            label: SecretServiceItem.label(of: record)
        )
    }

    private func entry(_ key: AccountKey, _ tenure: Tenure) -> SessionStoreEntry {
        SessionStoreEntry(
            of: key,
            at: SecretService.place,
            during: tenure,
            on: self.service.executor,
            read: { try self.service.runAtOnce { try self.record(of: key, $0) } },
            write: { record in try self.service.runAtOnce { try self.store(record, $0) } },
            remove: {
                let attributes = try SecretServiceItem.attributes(of: key, schema: self.schema)
                try self.service.runAtOnce { try $0.remove(attributes) }
            }
        )
    }
}

extension StoreFactory {
    /// `secret-service:`, a ``SecretServiceStore``.
    public static let secretService = StoreFactory(
        scheme: "secret-service",
        form: "secret-service:"
    ) { rest in
        guard rest.isEmpty else {
            throw StoreError(.unavailable, place: "secret-service:", detail: "nothing may follow the colon")
        }
        return Product(name: "secret-service:") { SecretServiceStore() }
    }
}
