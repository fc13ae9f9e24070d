// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkStores
internal import Synchronization
internal import Tessera

/// A wrapper of a store that records the time from the provider's response to the end of each save.
final class TimedStore: SessionStore {
    /// The recorded times in microseconds.
    let windows = Mutex<[Double]>([])
    private let base: any SessionStore

    init(base: any SessionStore) { self.base = base }

    func load(_ account: Account) async throws -> SessionRecord? { try await self.base.load(account) }
    func list() async throws -> [Account] { try await self.base.list() }
    func remove(_ account: Account) async throws { try await self.base.remove(account) }
    func probe() async throws { try await self.base.probe() }

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
                        try await entry.save(record)
                        let responded = InstantTokenEndpoint.answered.withLock { $0 }
                        self.windows.withLock { $0.append((ContinuousClock.now - responded) / .microseconds(1)) }
                    },
                    remove: { try await entry.remove() }
                )
            )
        }
    }
}
