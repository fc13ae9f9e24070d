// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
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

extension InMemoryStore: TransientStore {
    /// Something that is kept for a time.
    struct Transient: Sendable {
        let content: [UInt8]
        let end: Date
    }

    /// Keeps something until a time; what has come to its end goes.
    public func keep(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws {
        self.transients.withLock { transients in
            // Only now and then: whoever keeps a million things does not look at all of them each time.
            if transients.count.isMultiple(of: 256) { transients = transients.filter { $0.value.end > now } }
            transients[name] = Transient(content: content, end: end)
        }
    }

    /// What has that name and has not come to its end.
    public func content(of name: String, now: Date) async throws -> [UInt8]? {
        self.transients.withLock { $0[name] }.flatMap { now < $0.end ? $0.content : nil }
    }

    /// The same, and removes it.
    public func take(_ name: String, now: Date) async throws -> [UInt8]? {
        self.transients.withLock { $0.removeValue(forKey: name) }.flatMap { now < $0.end ? $0.content : nil }
    }
}
