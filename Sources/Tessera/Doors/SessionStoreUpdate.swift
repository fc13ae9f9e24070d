// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
