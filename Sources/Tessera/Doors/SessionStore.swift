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
