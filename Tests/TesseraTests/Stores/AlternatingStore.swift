// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Synchronization
internal import Tessera

/// Several stores as one: each call goes to the next of them.
final class Alternating: SessionStore {
    private let stores: [any SessionStore]
    private let next = Mutex(0)

    init(stores: [any SessionStore]) { self.stores = stores }

    private var store: any SessionStore {
        self.next.withLock { next in
            next = (next + 1) % self.stores.count
            return self.stores[next]
        }
    }

    func load(_ account: Account) async throws -> SessionRecord? { try await self.store.load(account) }
    func list() async throws -> [Account] { try await self.store.list() }
    func remove(_ account: Account) async throws { try await self.store.remove(account) }
    func probe() async throws { try await self.store.probe() }
    func update<Result: Sendable>(
        _ account: Account,
        _ body: @Sendable (SessionStoreEntry) async throws -> Result
    ) async throws -> Result {
        try await self.store.update(account, body)
    }
}
