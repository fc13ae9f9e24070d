// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera

/// A store that records its operations and runs hooks before or after them.
///
/// It wraps an in-memory store by default.
final class WatchedStore: SessionStore {
    enum Operation: Sendable, Hashable {
        case probe, load, list, update, entryLoad, mark, unmark, save, remove
    }
    typealias Hook = @Sendable () async throws -> Void

    private let base: any SessionStore
    private let forced = Mutex<SessionRecord?>(nil)
    private let state = Mutex<(journal: [Operation], hooks: [Operation: Hook])>(([], [:]))
    private let nextHooks = Mutex<[Operation: Hook]>([:])

    init(_ base: any SessionStore = InMemoryStore()) { self.base = base }

    /// The operations so far.
    var journal: [Operation] { self.state.withLock { $0.journal } }

    func count(_ operation: Operation) -> Int { self.journal.count { $0 == operation } }

    /// Runs a hook before each call of the operation, which does not happen if the hook throws.
    func before(_ operation: Operation, _ hook: Hook?) { self.state.withLock { $0.hooks[operation] = hook } }

    /// Runs a hook once, after the operation has taken effect and before it returns.
    ///
    /// The operation is `load` or `save`.
    func afterNext(_ operation: Operation, _ hook: @escaping Hook) { self.nextHooks.withLock { $0[operation] = hook } }

    /// Makes the operation fail.
    func fail(_ operation: Operation, _ code: StoreError.Code) {
        self.before(operation) { throw StoreError(code, location: "test") }
    }

    /// Makes entries load this record, regardless of the saved one.
    func overwrite(_ record: SessionRecord) { self.forced.withLock { $0 = record } }

    private func note(_ operation: Operation) async throws {
        let hook = self.state.withLock { state in
            state.journal.append(operation)
            return state.hooks[operation]
        }
        try await hook?()
    }

    private func end(_ operation: Operation) async throws {
        try await self.nextHooks.withLock { $0.removeValue(forKey: operation) }?()
    }

    func load(_ account: Account) async throws -> SessionRecord? {
        try await self.note(.load)
        let record = try await self.base.load(account)
        try await self.end(.load)
        return record
    }

    func list() async throws -> [Account] {
        try await self.note(.list)
        return try await self.base.list()
    }

    func remove(_ account: Account) async throws {
        try await self.note(.remove)
        try await self.base.remove(account)
    }

    func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        try await self.note(.update)
        return try await self.base.update(account) { entry in
            try await body(
                SessionStoreEntry(
                    load: {
                        try await self.note(.entryLoad)
                        if let forced = self.forced.withLock({ $0 }) { return forced }
                        return try await entry.load()
                    },
                    mark: { mark in
                        try await self.note(mark == nil ? .unmark : .mark)
                        try await entry.mark(mark)
                    },
                    save: { record in
                        try await self.note(.save)
                        try await entry.save(record)
                        try await self.end(.save)
                    },
                    remove: {
                        try await self.note(.remove)
                        try await entry.remove()
                    }
                )
            )
        }
    }

    func probe() async throws { try await self.note(.probe) }
}
