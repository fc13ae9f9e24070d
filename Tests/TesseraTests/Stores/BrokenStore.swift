// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera
internal import TesseraTesting

/// A store with one fault, which the contract must detect.
final class BrokenStore: SessionStore {
    /// The fault, with the beginning of the requirement that must detect it.
    enum Fault: String, CaseIterable {
        case noExclusion = "Loses no changes"
        case unorderedList = "Separates accounts"
        case lostMark = "Returns a refresh mark"
        case swallowedRemoval = "Removes a record without"
        case rolledBackOnError = "Retains a record"
        case probeLeavesARecord = "Probes the store"
    }

    private let fault: Fault
    private let records = Mutex<[(Account, SessionRecord)]>([])
    private let base = InMemoryStore()

    init(_ fault: Fault) { self.fault = fault }

    func load(_ account: Account) async throws -> SessionRecord? {
        if self.fault == .noExclusion { return self.records.withLock { $0.first { $0.0 == account }?.1 } }
        return try await self.base.load(account)
    }

    func list() async throws -> [Account] {
        if self.fault == .noExclusion { return self.records.withLock { $0.map(\.0) } }
        let accounts = try await self.base.list()
        return self.fault == .unorderedList ? accounts.reversed() : accounts
    }

    func remove(_ account: Account) async throws {
        if self.fault != .swallowedRemoval { try await self.base.remove(account) }
    }

    func probe() async throws {
        guard self.fault == .probeLeavesARecord else { return }
        let account = Account(issuer: "https://probe.example", clientID: "probe", subject: "probe")
        try await self.base.update(account) { try await $0.save(try .sample(for: account)) }
    }

    func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        switch self.fault {
        case .noExclusion:
            return try await body(
                SessionStoreEntry(
                    load: { try await self.load(account) },
                    mark: { _ in },
                    save: { record in
                        self.records.withLock { records in
                            records.removeAll { $0.0 == account }
                            records.append((account, record))
                        }
                    },
                    remove: { self.records.withLock { $0.removeAll { $0.0 == account } } }
                )
            )
        case .lostMark:
            return try await self.base.update(account) { entry in
                try await body(
                    SessionStoreEntry(
                        load: { try await entry.load() },
                        mark: { _ in },
                        save: { try await entry.save($0) },
                        remove: { try await entry.remove() }
                    )
                )
            }
        case .rolledBackOnError:
            return try await self.base.update(account) { entry in
                let old = try await entry.load()
                do { return try await body(entry) } catch {
                    if let old { try await entry.save(old) } else { try await entry.remove() }
                    throw error
                }
            }
        case .unorderedList, .swallowedRemoval, .probeLeavesARecord:
            return try await self.base.update(account, body)
        }
    }
}
