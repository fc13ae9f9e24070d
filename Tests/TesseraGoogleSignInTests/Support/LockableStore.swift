// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// A store that cannot be read while the device is locked.
final class LockableStore: SessionStore {
    let isLocked = Mutex(false)
    private let store = InMemoryStore()

    func load(_ account: Account) async throws -> SessionRecord? {
        try self.check()
        return try await self.store.load(account)
    }

    func list() async throws -> [Account] {
        try self.check()
        return try await self.store.list()
    }

    func remove(_ account: Account) async throws {
        try self.check()
        try await self.store.remove(account)
    }

    func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        try self.check()
        return try await self.store.update(account, body)
    }

    func probe() async throws { try self.check() }

    private func check() throws {
        if self.isLocked.withLock({ $0 }) { throw StoreError(.deviceLocked, location: "keychain") }
    }
}
