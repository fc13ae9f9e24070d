// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// A store in memory that saves no records while it is full.
final class FullStore: SessionStore {
    private let base = InMemoryStore()
    private let state = Mutex(false)

    var isFull: Bool {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }

    func load(_ account: Account) async throws -> SessionRecord? { try await self.base.load(account) }
    func list() async throws -> [Account] { try await self.base.list() }
    func remove(_ account: Account) async throws { try await self.base.remove(account) }
    func probe() async throws {}

    func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        try await self.base.update(account) { entry in
            try await body(
                SessionStoreEntry(
                    load: { try await entry.load() },
                    mark: { try await entry.mark($0) },
                    save: { record in
                        if self.isFull { throw StoreError(.full, location: "test") }
                        try await entry.save(record)
                    },
                    remove: { try await entry.remove() }
                )
            )
        }
    }
}
