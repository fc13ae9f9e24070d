// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Keeps sessions: the door to a disk, a keyring or a database.
///
/// The contract, which `SessionStoreContract` of `TesseraTesting` checks for users' own stores too:
/// - `update` runs one body at a time per account, in this process and, where the store says so, in every process and
///   on every machine that shares it; inside, the entry alone loads and saves;
/// - a save is durable when it returns, and atomic: killed at any moment, the store holds the old or the new record;
/// - reading does not wait for an update that runs elsewhere;
/// - a record that cannot be read is an error, ``StoreError`` `corrupt` or `newerFormat`, never «no record»;
/// - nothing blocks a cooperative thread.
public protocol SessionStore: Sendable {
    /// The record of an account, nil where there is none.
    func load(_ account: Account) async throws -> SessionRecord?

    /// Every account that has a record, in a stable order.
    func list() async throws -> [Account]

    /// Removes an account's record; no error where there is none. Waits for an update of it to end.
    func remove(_ account: Account) async throws

    /// Calls `body` with the account's entry while no other task or process updates this account.
    ///
    /// - Throws: ``StoreError`` `busy` if the account's lock cannot be acquired in time, and what `body` throws.
    func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result

    /// Proves that a session can be kept: writes something of a session's size, reads it back, removes it.
    ///
    /// Called before a browser opens: nobody should consent to a sign-in that cannot be kept.
    func probe() async throws
}

/// One account's place in a store while ``SessionStore/update(_:_:)`` holds it.
public struct SessionStoreEntry: Sendable {
    private let loading: @Sendable () async throws -> SessionRecord?
    private let marking: @Sendable (RefreshMark?) async throws -> Void
    private let saving: @Sendable (SessionRecord) async throws -> Void
    private let removing: @Sendable () async throws -> Void

    /// An entry of a store; called by stores only.
    public init(
        load: @escaping @Sendable () async throws -> SessionRecord?,
        mark: @escaping @Sendable (RefreshMark?) async throws -> Void,
        save: @escaping @Sendable (SessionRecord) async throws -> Void,
        remove: @escaping @Sendable () async throws -> Void
    ) {
        self.loading = load
        self.marking = mark
        self.saving = save
        self.removing = remove
    }

    /// The record as it is now, read anew; its `refreshMark` tells of a refresh that was begun and not finished.
    public func load() async throws -> SessionRecord? { try await self.loading() }

    /// Writes down that a refresh is about to be sent; nil takes that back.
    ///
    /// Reserves the space that its result will need, so that a full disk is found before the request. The record itself
    /// stays as it is.
    public func mark(_ mark: RefreshMark?) async throws { try await self.marking(mark) }

    /// Replaces the record, durably; clears the mark.
    public func save(_ record: SessionRecord) async throws { try await self.saving(record) }

    /// Removes the record.
    public func remove() async throws { try await self.removing() }
}

/// The work that ``SessionStore`` runs while a store holds an account.
///
/// A store calls it like a function, once, with the account's entry. It is a type of its own because the type of an
/// asynchronous closure depends on the compiler settings of the module that names it.
public struct SessionStoreUpdate<Result: Sendable>: Sendable {
    private let body: @Sendable (SessionStoreEntry) async throws -> Result

    init(_ body: @escaping @Sendable (SessionStoreEntry) async throws -> Result) { self.body = body }

    /// Runs the work.
    public func callAsFunction(_ entry: SessionStoreEntry) async throws -> Result { try await self.body(entry) }
}

extension SessionStore {
    /// Runs `body` while no other task or process updates this account.
    ///
    /// - Throws: ``StoreError`` `busy` if the account's lock cannot be acquired in time, and what `body` throws.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: @escaping @Sendable (SessionStoreEntry) async throws -> Result
    ) async throws -> Result {
        try await self.update(account, SessionStoreUpdate(body))
    }
}
