// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera
internal import TesseraTesting

/// A store with one fault, to see that the contract suite finds it.
final class BrokenStore: SessionStore {
    /// What is wrong, and the beginning of the sentence that must find it.
    enum Fault: String, CaseIterable {
        case noExclusion = "A hundred concurrent updates"
        case unorderedList = "Accounts of several people"
        case lostMark = "A mark shows"
        case swallowedRemoval = "A removed record is gone"
        case rolledBackOnError = "What was saved before an error"
        case probeLeavesARecord = "A probe succeeds"
    }

    private let fault: Fault
    private let records = Mutex<[(Account, SessionRecord)]>([])
    private let whole = InMemoryStore()

    init(_ fault: Fault) { self.fault = fault }

    func load(_ account: Account) async throws -> SessionRecord? {
        if self.fault == .noExclusion { return self.records.withLock { $0.first { $0.0 == account }?.1 } }
        return try await self.whole.load(account)
    }

    func list() async throws -> [Account] {
        if self.fault == .noExclusion { return self.records.withLock { $0.map(\.0) } }
        let accounts = try await self.whole.list()
        return self.fault == .unorderedList ? accounts.reversed() : accounts
    }

    func remove(_ account: Account) async throws {
        if self.fault != .swallowedRemoval { try await self.whole.remove(account) }
    }

    func probe() async throws {
        guard self.fault == .probeLeavesARecord else { return }
        let account = Account(issuer: "https://probe.example", clientID: "probe", subject: "probe")
        try await self.whole.update(account) { try await $0.save(try .sample(for: account)) }
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
            return try await self.whole.update(account) { entry in
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
            return try await self.whole.update(account) { entry in
                let old = try await entry.load()
                do { return try await body(entry) } catch {
                    if let old { try await entry.save(old) } else { try await entry.remove() }
                    throw error
                }
            }
        case .unorderedList, .swallowedRemoval, .probeLeavesARecord:
            return try await self.whole.update(account, body)
        }
    }
}
