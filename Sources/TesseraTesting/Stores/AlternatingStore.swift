// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
public import Tessera

/// Several stores as one: each call goes to the next of them.
///
/// Stores that share a place keep the contract between them when this one keeps it.
public final class AlternatingStore: SessionStore {
    private let stores: [any SessionStore]
    private let next = Mutex(0)

    /// Stores of one place, at least one.
    public init(_ first: any SessionStore, _ others: any SessionStore...) { self.stores = [first] + others }

    private var store: any SessionStore {
        self.next.withLock { next in
            next = (next + 1) % self.stores.count
            return self.stores[next]
        }
    }

    /// What the next store loads.
    public func load(_ account: Account) async throws -> SessionRecord? { try await self.store.load(account) }
    /// What the next store lists.
    public func list() async throws -> [Account] { try await self.store.list() }
    /// Removes the record by the next store.
    public func remove(_ account: Account) async throws { try await self.store.remove(account) }
    /// Probes the next store.
    public func probe() async throws { try await self.store.probe() }
    /// Updates by the next store.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        try await self.store.update(account, body)
    }
}
