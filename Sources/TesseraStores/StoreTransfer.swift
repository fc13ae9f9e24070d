// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

/// Copies sessions from one store to another, for example from files to a database.
///
/// No original is removed until its copy has been read back and compared. Programs can continue to use the first store
/// during the transfer. If the provider rotates refresh tokens, only one of the two copies of a session can be used,
/// because refreshing one copy invalidates the refresh token in the other.
///
/// ```swift
/// let transfer = StoreTransfer(from: files, to: database)
/// let accounts = try await files.list()
/// for account in accounts { _ = try await transfer.copy(account) }
/// try await transfer.removeOriginals(of: accounts)
/// ```
public struct StoreTransfer: Sendable {
    /// The result of copying an account's session.
    public enum Result: String, Sendable, Hashable {
        /// The session was copied, and the copy was verified.
        case copied
        /// The second store already has the same session.
        case alreadyThere
        /// The second store has a different session for the account, which was left unchanged.
        case occupied
        /// The first store no longer has a session for the account.
        case missing = "vanished"
    }

    private let source: any SessionStore
    private let target: any SessionStore

    /// Creates a transfer from one store to another.
    public init(from source: any SessionStore, to target: any SessionStore) {
        self.source = source
        self.target = target
    }

    /// Copies an account's session, including the mark of an interrupted refresh.
    ///
    /// Waits until any refresh of the session has finished, even in another process.
    ///
    /// - Parameters:
    ///   - account: The account to copy.
    ///   - replaces: Whether to replace a different or unreadable session for the account in the second store.
    /// - Returns: The result of the copy.
    /// - Throws: Any error that either store throws, or `StoreError` with the code `notPersisted` if reading the copy
    ///   back does not return the session that was written.
    public func copy(_ account: Account, replacing replaces: Bool = false) async throws -> Result {
        guard let record = try await self.source.update(account, { try await $0.load() }) else { return .missing }
        let outcome = try await self.target.update(account) { entry in
            let present: SessionRecord?
            do { present = try await entry.load() } catch {
                guard replaces else { throw error }
                present = nil
            }
            if let present {
                if Self.isSame(present, record) { return Result.alreadyThere }
                guard replaces else { return .occupied }
            }
            let copy = record.counted(from: max(record.generation, (present?.generation ?? 0) + 1))
            try await entry.save(copy)
            return .copied
        }
        if outcome == .copied, try await !self.isInTarget(record) {
            throw StoreError(.notPersisted, location: "the second store")
        }
        return outcome
    }

    /// Removes sessions from the first store after verifying that the second store has identical copies.
    ///
    /// A session that was refreshed after it was copied is copied again.
    ///
    /// - Parameters:
    ///   - accounts: The accounts to remove.
    ///   - removed: A closure that is called with each account after its session is removed.
    /// - Throws: Any error that either store throws, or `StoreError` with the code `unavailable` if the second store
    ///   has a newer session or if both stores are the same, which is checked before anything is removed. Sessions that
    ///   have not been removed yet stay in the first store, unchanged.
    public func removeOriginals(
        of accounts: [Account],
        removed: (Account) -> Void = { _ in }
    ) async throws {
        guard let sample = try await self.sample(of: accounts) else { return }
        try await self.checkDistinct(sample)
        for account in accounts {
            try await self.removeOriginal(account)
            removed(account)
        }
    }

    private func removeOriginal(_ account: Account) async throws {
        for _ in 0..<3 {
            let isRemoved = try await self.source.update(account) { entry in
                guard let record = try await entry.load() else { return true }
                guard try await self.isInTarget(record) else { return false }
                try await entry.remove()
                return true
            }
            if isRemoved { return }
            try await self.checkNotNewer(account)
            _ = try await self.copy(account, replacing: true)
        }
        throw StoreError(
            .unavailable,
            location: "the first store",
            detail: "a session keeps changing while it is being copied"
        )
    }

    /// Throws an error if the copy has since been refreshed, because the original's refresh token may then be invalid.
    private func checkNotNewer(_ account: Account) async throws {
        guard let copy = try await self.target.load(account)?.tokens,
            let original = try await self.source.load(account)?.tokens, original.obtainedAt < copy.obtainedAt
        else { return }
        throw StoreError(
            .unavailable,
            location: "the second store",
            detail: "its session is newer, so neither was removed"
        )
    }

    /// Whether the second store has an identical session, including the refresh mark.
    private func isInTarget(_ record: SessionRecord) async throws -> Bool {
        try await self.target.load(record.account).map { Self.isSame($0, record) } ?? false
    }

    /// Returns one record from the first store, or nil if none of the accounts has one.
    private func sample(of accounts: [Account]) async throws -> SessionRecord? {
        for account in accounts {
            if let record = try await self.source.load(account) { return record }
        }
        return nil
    }

    /// Throws an error if a record written to the second store is visible in the first.
    ///
    /// Two names can refer to one store, in which case no copy exists.
    private func checkDistinct(_ sample: SessionRecord) async throws {
        var probe = sample
        let name = "tessera:transfer:\(Hexadecimal.text(StoreKey.random().id))"
        probe.account = Account(issuer: sample.account.issuer, clientID: name, subject: name)
        probe.generation = 1
        probe.tokens = nil
        probe.dpopKey = nil
        probe.refreshMark = nil
        let written = probe
        try await self.target.update(written.account) { try await $0.save(written) }
        let isOne: Bool
        do { isOne = try await self.source.load(written.account) != nil } catch {
            try? await self.target.remove(written.account)
            throw error
        }
        try await self.target.remove(written.account)
        if isOne {
            throw StoreError(
                .unavailable,
                location: "the second store",
                detail: "it is the same store as the first one, so nothing was removed"
            )
        }
    }

    /// Whether two records are the same session, ignoring the generation, which each store counts independently.
    private static func isSame(_ one: SessionRecord, _ other: SessionRecord) -> Bool {
        one.counted(from: other.generation) == other
    }
}

extension SessionRecord {
    /// Returns the record with a different generation, and its refresh mark adjusted to match.
    fileprivate func counted(from generation: Int64) -> SessionRecord {
        var record = self
        record.generation = generation
        record.refreshMark = self.refreshMark.map {
            RefreshMark(begunAt: $0.begunAt, generation: generation + $0.generation - self.generation)
        }
        return record
    }
}
