// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// A store that pauses after its next update until the test continues.
final class PausingStore: SessionStore {
    private struct Pause {
        let arrival = AsyncStream.makeStream(of: Void.self)
        let gate = AsyncStream.makeStream(of: Void.self)
    }

    private let store = InMemoryStore()
    private let pause = Mutex<Pause?>(nil)

    /// Runs `body` while the update that `call` makes is paused.
    func run(_ body: () async throws -> Void, during call: @escaping @Sendable () async -> Void) async throws {
        let pause = Pause()
        self.pause.withLock { $0 = pause }
        let task = Task { await call() }
        for await _ in pause.arrival.stream {}
        try await body()
        pause.gate.continuation.finish()
        await task.value
    }

    func load(_ account: Account) async throws -> SessionRecord? { try await self.store.load(account) }
    func list() async throws -> [Account] { try await self.store.list() }
    func remove(_ account: Account) async throws { try await self.store.remove(account) }

    func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        let pause = self.pause.withLock { $0.take() }
        let result = try await self.store.update(account, body)
        pause?.arrival.continuation.finish()
        if let pause { for await _ in pause.gate.stream {} }
        return result
    }

    func probe() async throws {}
}
