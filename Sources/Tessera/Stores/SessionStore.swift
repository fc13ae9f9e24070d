// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A store for sessions, for example on a disk, in a keyring or in a database.
///
/// `SessionStoreContract` in `TesseraTesting` checks that a store fulfills these requirements:
/// - `update` runs one body at a time per account, in this process and, if the store supports it, in all processes and
///   on all machines that share the store. Inside the body, only the entry loads and saves the record.
/// - A save is durable when it returns, and atomic. If the process is killed at any time, the store contains either the
///   old or the new record.
/// - Reads do not wait for an update in another process or task.
/// - An unreadable record is reported as ``StoreError`` with the code `corrupt` or `newerFormat`, never as missing.
/// - No operation blocks a cooperative thread.
public protocol SessionStore: Sendable {
    /// Returns an account's record, or nil if there is none.
    func load(_ account: Account) async throws -> SessionRecord?

    /// Returns all accounts that have a record, in a stable order.
    func list() async throws -> [Account]

    /// Removes an account's record after an update in progress has completed. Does nothing if there is no record.
    func remove(_ account: Account) async throws

    /// Calls `body` with the account's entry while no other task or process updates this account.
    ///
    /// - Throws: ``StoreError`` with the code `busy` if the account's lock cannot be acquired in time, or any error
    ///   that `body` throws.
    func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result

    /// Checks that a session can be saved by writing, reading and removing a value of similar size.
    ///
    /// This method is called before a browser opens, so that the user does not consent to a sign-in that cannot be
    /// saved.
    func probe() async throws
}

/// An account's entry in a store, valid during ``SessionStore/update(_:_:)``.
public struct SessionStoreEntry: Sendable {
    private let loading: @Sendable () async throws -> SessionRecord?
    private let marking: @Sendable (RefreshMark?) async throws -> Void
    private let saving: @Sendable (SessionRecord) async throws -> Void
    private let removing: @Sendable () async throws -> Void

    /// Creates an entry.
    ///
    /// Only stores call this initializer.
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

    /// Reads and returns the current record, whose `refreshMark` indicates an unfinished refresh.
    public func load() async throws -> SessionRecord? { try await self.loading() }

    /// Saves a mark before a refresh token is sent, or removes it if `mark` is nil.
    ///
    /// The store also reserves space for the result of the refresh, so that a full disk is detected before the request
    /// is sent. The record itself remains unchanged.
    public func mark(_ mark: RefreshMark?) async throws { try await self.marking(mark) }

    /// Replaces the record and the mark durably.
    ///
    /// The new mark is the record's `refreshMark`. If it is nil, the mark is removed.
    public func save(_ record: SessionRecord) async throws { try await self.saving(record) }

    /// Removes the record.
    public func remove() async throws { try await self.removing() }
}

/// An operation that ``SessionStore`` runs while it holds an account's lock.
///
/// A store calls it like a function, exactly once, with the account's entry. It is a separate type because the type of
/// an asynchronous closure depends on the compiler settings of the module that declares it.
public struct SessionStoreUpdate<Result: Sendable>: Sendable {
    private let body: @Sendable (SessionStoreEntry) async throws -> Result

    init(_ body: @escaping @Sendable (SessionStoreEntry) async throws -> Result) { self.body = body }

    /// Runs the operation with the account's entry.
    public func callAsFunction(_ entry: SessionStoreEntry) async throws -> Result { try await self.body(entry) }
}

extension SessionStore {
    /// Calls `body` with the account's entry while no other task or process updates this account.
    ///
    /// - Throws: ``StoreError`` with the code `busy` if the account's lock cannot be acquired in time, or any error
    ///   that `body` throws.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: @escaping @Sendable (SessionStoreEntry) async throws -> Result
    ) async throws -> Result {
        try await self.update(account, SessionStoreUpdate(body))
    }
}
