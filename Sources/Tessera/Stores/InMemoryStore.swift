// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Keeps sessions in memory: for tests, and for programs that sign in anew at each start.
///
/// The sessions are gone when the store is. Two stores share nothing.
public final class InMemoryStore: SessionStore {
    private let records = Mutex<[AccountKey: SessionRecord]>([:])
    private let turns = AccountTurns()
    let transients = Mutex<[String: Transient]>([:])

    /// An empty store.
    public init() {}

    /// The record of an account, nil where there is none.
    public func load(_ account: Account) async throws -> SessionRecord? {
        self.records.withLock { $0[AccountKey(account)] }
    }

    /// Every account that has a record, ordered by issuer, client and subject.
    public func list() async throws -> [Account] {
        self.records.withLock { $0.values.map(\.account) }.sorted(by: AccountKey.precedes)
    }

    /// Removes an account's record, after the updates of it that were begun or asked for before.
    public func remove(_ account: Account) async throws {
        try await self.update(account) { try await $0.remove() }
    }

    /// Runs `body` while nobody else updates this account; in the order in which they asked.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        let key = AccountKey(account)
        try await self.turns.take(key)
        defer { self.turns.pass(key) }
        let tenure = Tenure()
        defer { tenure.end() }
        return try await body(self.entry(of: account, key, tenure))
    }

    /// Always succeeds.
    public func probe() async throws {}

    private func entry(of account: Account, _ key: AccountKey, _ tenure: Tenure) -> SessionStoreEntry {
        SessionStoreEntry(
            load: {
                try tenure.check()
                return self.records.withLock { $0[key] }
            },
            mark: { mark in
                try tenure.check()
                self.records.withLock { $0[key]?.refreshMark = mark }
            },
            save: { record in
                try tenure.check()
                guard AccountKey(record.account) == key else { throw StoreError.foreignRecord(place: "memory") }
                var record = record
                record.refreshMark = nil
                self.records.withLock { $0[key] = record }
            },
            remove: {
                try tenure.check()
                self.records.withLock { $0[key] = nil }
            }
        )
    }
}

extension StoreError {
    /// A record was handed to the entry of another account.
    package static func foreignRecord(place: String) -> StoreError {
        StoreError(.system, place: place, detail: "the record belongs to another account than the entry")
    }
}
