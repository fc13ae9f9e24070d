// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
public import Tessera

/// A store that forwards each call to the next of several stores in turn.
///
/// If this store satisfies the contract, the stores satisfy it together when they share a location.
public final class AlternatingStore: SessionStore {
    private let stores: [any SessionStore]
    private let next = Mutex(0)

    /// Creates a store from one or more stores that share a location.
    public init(_ first: any SessionStore, _ others: any SessionStore...) { self.stores = [first] + others }

    private var store: any SessionStore {
        self.next.withLock { next in
            next = (next + 1) % self.stores.count
            return self.stores[next]
        }
    }

    /// Loads a record from the next store.
    public func load(_ account: Account) async throws -> SessionRecord? { try await self.store.load(account) }
    /// Lists the accounts in the next store.
    public func list() async throws -> [Account] { try await self.store.list() }
    /// Removes a record through the next store.
    public func remove(_ account: Account) async throws { try await self.store.remove(account) }
    /// Probes the next store.
    public func probe() async throws { try await self.store.probe() }
    /// Updates a record through the next store.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        try await self.store.update(account, body)
    }
}
