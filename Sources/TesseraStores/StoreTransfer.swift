// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

/// Brings sessions from one store into another: from files into a database, for example.
///
/// Nothing is removed before its copy was read back and compared. Programs may go on using the first store meanwhile;
/// once a session is in both, only one of them may go on where the provider rotates refresh tokens, since each refresh
/// takes the other copy's token away.
///
/// ```swift
/// let transfer = StoreTransfer(from: files, to: database)
/// let accounts = try await files.list()
/// for account in accounts { _ = try await transfer.copy(account) }
/// try await transfer.removeOriginals(of: accounts)
/// ```
public struct StoreTransfer: Sendable {
    /// What became of an account.
    public enum Outcome: String, Sendable, Hashable {
        /// It was written, read back and compared.
        case copied
        /// The same session was there.
        case alreadyThere
        /// Another session of the account is there, and stays.
        case occupied
        /// The first store has it no more.
        case vanished
    }

    private let source: any SessionStore
    private let target: any SessionStore

    /// A way from one store to another.
    public init(from source: any SessionStore, to target: any SessionStore) {
        self.source = source
        self.target = target
    }

    /// Copies an account's session, the mark of an interrupted refresh included.
    ///
    /// Waits for a refresh of it to end, in whatever process.
    ///
    /// - Parameters:
    ///   - account: whose session.
    ///   - replaces: whether another session of the account, or one that cannot be read, is replaced.
    /// - Returns: what became of it.
    /// - Throws: what the stores throw; `StoreError` `notKept` when what was written did not come back.
    public func copy(_ account: Account, replacing replaces: Bool = false) async throws -> Outcome {
        guard let record = try await self.source.update(account, { try await $0.load() }) else { return .vanished }
        let outcome = try await self.target.update(account) { entry in
            let present: SessionRecord?
            do { present = try await entry.load() } catch {
                guard replaces else { throw error }
                present = nil
            }
            if let present {
                if Self.isSame(present, record) { return Outcome.alreadyThere }
                guard replaces else { return .occupied }
            }
            let copy = record.counted(from: max(record.generation, (present?.generation ?? 0) + 1))
            try await entry.save(copy)
            if let mark = copy.refreshMark { try await entry.mark(mark) }
            return .copied
        }
        if outcome == .copied, try await !self.isInTarget(record) {
            throw StoreError(.notKept, place: "the second store")
        }
        return outcome
    }

    /// Removes the sessions of accounts from the first store, each once the second one has the very same.
    ///
    /// A session that was refreshed since it was copied is copied again.
    ///
    /// - Parameters:
    ///   - accounts: whose sessions.
    ///   - removed: is told each that is gone.
    /// - Throws: what the stores throw; `StoreError` `unavailable` when the second store has a newer session, and, before
    ///   anything is removed, when both stores are one. What is left then is in the first store as it was.
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
        throw StoreError(.unavailable, place: "the first store", detail: "a session changes faster than it is copied")
    }

    /// Throws when somebody went on with the copy: the original's refresh token may be worth nothing by now.
    private func checkNotNewer(_ account: Account) async throws {
        guard let copy = try await self.target.load(account)?.tokens,
            let original = try await self.source.load(account)?.tokens, original.obtainedAt < copy.obtainedAt
        else { return }
        throw StoreError(.unavailable, place: "the second store", detail: "its session is newer; both stay")
    }

    /// Whether the second store has this session, the mark included.
    private func isInTarget(_ record: SessionRecord) async throws -> Bool {
        try await self.target.load(record.account).map { Self.isSame($0, record) } ?? false
    }

    /// A record that the first store still has; without one there is nothing to remove.
    private func sample(of accounts: [Account]) async throws -> SessionRecord? {
        for account in accounts {
            if let record = try await self.source.load(account) { return record }
        }
        return nil
    }

    /// Throws when what is written into the second store is seen in the first: under two names it may be one store, and
    /// then there is no copy.
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
                place: "the second store",
                detail: "it is the first one under another name; nothing was removed"
            )
        }
    }

    /// Whether both are one session; each store counts its saves by itself.
    private static func isSame(_ one: SessionRecord, _ other: SessionRecord) -> Bool {
        one.counted(from: other.generation) == other
    }
}

extension SessionRecord {
    /// The same session with another generation.
    fileprivate func counted(from generation: Int64) -> SessionRecord {
        var record = self
        record.generation = generation
        record.refreshMark = self.refreshMark.map {
            RefreshMark(begunAt: $0.begunAt, generation: generation + $0.generation - self.generation)
        }
        return record
    }
}
