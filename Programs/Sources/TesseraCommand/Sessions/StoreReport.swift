// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraJSON
internal import TesseraStores

/// The result of checking a store.
struct StoreReport: Sendable {
    let uri: StoreURI
    /// The reason that the store is not writable, or nil if a record was written, read and removed.
    let obstacle: StoreError?
    let items: [SessionCatalog.Item]
    /// Errors for items that do not belong to a known account.
    let strays: [StoreError]

    /// Checks the store.
    ///
    /// - Throws: ``StoreError`` if the store cannot list its items.
    init(_ catalog: SessionCatalog) async throws {
        self.uri = catalog.uri
        var obstacle: StoreError?
        do { try await catalog.store.probe() } catch let error as StoreError {
            // The same error would be reported again for each record.
            if error.code == .wrongPassphrase { throw error }
            obstacle = error
        }
        self.obstacle = obstacle
        self.items = try await catalog.everything()
        self.strays = try await (catalog.store as? EncryptedFileStore)?.unreadableFiles() ?? []
    }

    /// The first problem, or nil if the store has no problems.
    var failure: StoreError? {
        if let obstacle { return obstacle }
        for case .failure(let error) in self.items.map(\.record) { return error }
        return self.strays.first
    }

    var text: TerminalText {
        var fields = FieldTable()
        fields.add("Store", self.uri.description)
        fields.add("Writable", self.obstacle == nil ? "yes: wrote, read and removed a record" : "no")
        fields.add("Sessions", self.items.isEmpty ? "none" : "\(self.items.count)")
        fields.add("Unreadable", self.strays.map { "\($0.location)" })
        guard !self.items.isEmpty else { return fields.text }
        var table = ColumnTable("ACCOUNT", "PROVIDER", "STATE", "SAVES")
        for item in self.items {
            let saves = item.readable.map { "\($0.generation)" } ?? "–"
            table.add(item.name, item.account.issuer, Self.state(of: item.record), saves)
        }
        return fields.text + "\n\n" + table.text
    }

    var members: [JSONMember] {
        [
            JSONMember(name: "store", value: .string(self.uri.description)),
            JSONMember(name: "keepsSessions", value: .bool(self.obstacle == nil)),
            JSONMember(name: "sessions", value: .array(self.items.map { .object(Self.members(of: $0)) })),
            JSONMember(name: "unreadable", value: .array(self.strays.map { .string($0.location) })),
        ]
    }

    /// Returns the state of a record as text.
    private static func state(of record: Result<SessionRecord, StoreError>) -> String {
        switch record {
        case .failure(let error): error.code.description
        case .success(let record) where record.refreshMark != nil: "interrupted refresh"
        case .success(let record): record.tokens == nil ? "ended" : "ok"
        }
    }

    private static func members(of item: SessionCatalog.Item) -> [JSONMember] {
        let problem = if case .failure(let error) = item.record { error.description } else { String?.none }
        return [
            JSONMember(name: "account", value: .string(item.name)),
            JSONMember(name: "issuer", value: .string(item.account.issuer)),
            JSONMember(name: "clientID", value: .string(item.account.clientID)),
            JSONMember(name: "subject", value: .string(item.account.subject)),
            JSONMember(name: "state", value: .string(Self.state(of: item.record))),
            JSONMember(name: "problem", value: AccountReport.text(problem)),
        ]
    }
}
