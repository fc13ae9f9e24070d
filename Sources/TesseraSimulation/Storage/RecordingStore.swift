// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// A store that records what a process saves and removes.
struct RecordingStore: SessionStore {
    let store: any SessionStore
    let process: SimulatedProcess
    /// The name of the storage that the store shares with others.
    let name: String

    init(_ store: any SessionStore, process: SimulatedProcess, name: String) {
        (self.store, self.process, self.name) = (store, process, name)
    }

    func load(_ account: Account) async throws -> SessionRecord? {
        try await self.found(account) { try await self.store.load(account) }
    }

    func list() async throws -> [Account] { try await self.store.list() }

    func remove(_ account: Account) async throws {
        try await self.store.remove(account)
        self.record(.removed(subject: account.name, store: self.name))
    }

    func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        try await self.store.update(account) { entry in try await body(self.recording(entry, account)) }
    }

    func probe() async throws { try await self.store.probe() }

    private func recording(_ entry: SessionStoreEntry, _ account: Account) -> SessionStoreEntry {
        SessionStoreEntry(
            load: { try await self.found(account, entry.load) },
            mark: { mark in
                try await entry.mark(mark)
                self.record(.marked(subject: account.name, isMarked: mark != nil, store: self.name))
            },
            save: { record in
                do {
                    try await entry.save(record)
                } catch {
                    self.record(.saveFailed(SavedTokens(record), store: self.name))
                    throw error
                }
                self.record(.saved(SavedTokens(record), store: self.name))
                guard record.refreshMark != nil else { return }
                self.record(.marked(subject: account.name, isMarked: true, store: self.name))
            },
            remove: {
                try await entry.remove()
                self.record(.removed(subject: account.name, store: self.name))
            }
        )
    }

    /// Records what a store returns, because it may have completed a save that a killed process began.
    private func found(
        _ account: Account,
        _ load: () async throws -> SessionRecord?
    ) async throws -> SessionRecord? {
        let begunAt = self.process.simulation.scheduler.time
        func missing(isDamaged: Bool) -> SimulationEvent.Action {
            .notFound(subject: account.name, isDamaged: isDamaged, store: self.name, begunAt: begunAt)
        }
        do {
            let record = try await load()
            if let other = record?.account, other != account {
                self.process.simulation.report(
                    .accountsAreSeparate,
                    "process \(self.process.id) found the record of \(other.name) instead of \(account.name)"
                )
            }
            self.record(record.map { .found(SavedTokens($0), store: self.name) } ?? missing(isDamaged: false))
            return record
        } catch let error as StoreError where error.code == .corrupt {
            self.record(missing(isDamaged: true))
            throw error
        } catch {
            self.record(.loadFailed(subject: account.subject, store: self.name))
            throw error
        }
    }

    private func record(_ action: SimulationEvent.Action) {
        self.process.simulation.record(action, by: .process(self.process.id))
    }
}

/// The tokens in a saved record.
public struct SavedTokens: Sendable, Hashable {
    /// The name of the record's account.
    public let subject: String
    /// The access token, or nil if the record is that of an ended session.
    public let access: SimulatedToken?
    /// The refresh token, or nil if the record is that of an ended session or the consent did not produce one.
    public let refresh: SimulatedToken?
    /// The reason why the session ended.
    public let endReason: String?

    /// Whether the access token is saved as expired, because its ID token has not been checked or is not valid.
    let isUnchecked: Bool
    /// Whether the record has the mark of a refresh with an unknown result.
    let isMarked: Bool

    init(
        subject: String,
        access: SimulatedToken?,
        refresh: SimulatedToken?,
        endReason: String? = nil,
        isUnchecked: Bool = false,
        isMarked: Bool = false
    ) {
        (self.subject, self.access, self.refresh, self.endReason) = (subject, access, refresh, endReason)
        (self.isUnchecked, self.isMarked) = (isUnchecked, isMarked)
    }

    init(_ record: SessionRecord) {
        self.subject = record.account.name
        self.access = record.tokens?.accessToken.withUnredacted { SimulatedToken($0) }
        self.refresh = record.tokens?.refreshToken?.withUnredacted { SimulatedToken($0) }
        self.endReason = record.history.endReason
        self.isUnchecked = record.tokens?.lifetime == 0
        self.isMarked = record.refreshMark != nil
    }
}
