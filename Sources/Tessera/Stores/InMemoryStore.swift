// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraSupport

/// A store that saves sessions in memory, for tests and for programs that sign in each time they start.
///
/// Sessions exist only as long as the store does. Separate stores do not share sessions.
public final class InMemoryStore: SessionStore {
    private let records = Mutex<[AccountKey: SessionRecord]>([:])
    private let turns = AccountQueue()
    let transients = Mutex<[String: Transient]>([:])

    /// Creates an empty store.
    public init() {}

    /// Returns an account's record, or nil if there is none.
    public func load(_ account: Account) async throws -> SessionRecord? {
        self.records.withLock { $0[AccountKey(account)] }
    }

    /// Returns all accounts that have a record, ordered by issuer, client and subject.
    public func list() async throws -> [Account] {
        self.records.withLock { $0.values.map(\.account) }.sorted(by: AccountKey.precedes)
    }

    /// Removes an account's record after the earlier updates of the account have completed.
    public func remove(_ account: Account) async throws {
        try await self.update(account) { try await $0.remove() }
    }

    /// Calls `body` while no other task updates this account, running concurrent calls in order.
    public func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        let key = AccountKey(account)
        try await self.turns.take(key)
        defer { self.turns.pass(key) }
        let tenure = EntryLifetime()
        defer { tenure.end() }
        return try await body(self.entry(of: account, key, tenure))
    }

    /// Does nothing, because saving in memory always succeeds.
    public func probe() async throws {}

    private func entry(of account: Account, _ key: AccountKey, _ tenure: EntryLifetime) -> SessionStoreEntry {
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
                guard AccountKey(record.account) == key else { throw StoreError.foreignRecord(location: "memory") }
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
    /// Returns the error for a record that does not belong to the account of its entry.
    package static func foreignRecord(location: String) -> StoreError {
        StoreError(.system, location: location, detail: "the record belongs to a different account than the entry")
    }
}

extension InMemoryStore: TransientStore {
    /// A value with an expiration time.
    struct Transient: Sendable {
        let content: [UInt8]
        let end: Date
    }

    /// Stores a value until it expires, and occasionally removes expired values.
    public func save(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws {
        self.transients.withLock { transients in
            // A search of all values on each call would be slow for a store with many of them.
            if transients.count.isMultiple(of: 256) { transients = transients.filter { $0.value.end > now } }
            transients[name] = Transient(content: content, end: end)
        }
    }

    /// Returns the value stored under a name, or nil if it does not exist or has expired.
    public func content(of name: String, now: Date) async throws -> [UInt8]? {
        self.transients.withLock { $0[name] }.flatMap { now < $0.end ? $0.content : nil }
    }

    /// Removes the value stored under a name and returns it, or nil if it does not exist or has expired.
    public func take(_ name: String, now: Date) async throws -> [UInt8]? {
        self.transients.withLock { $0.removeValue(forKey: name) }.flatMap { now < $0.end ? $0.content : nil }
    }
}
