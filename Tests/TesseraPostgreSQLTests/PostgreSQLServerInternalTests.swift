// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraOAuth
@testable internal import TesseraPostgreSQL
internal import TesseraTesting
internal import TestPrograms

/// Direct access to the server, bypassing the stores.
extension PostgreSQLInstance {
    static let ada = Account(issuer: "https://accounts.example", clientID: "client", subject: "ada")
    static let bob = Account(issuer: "https://accounts.example", clientID: "client", subject: "bob")

    /// Runs a statement on a separate connection.
    @discardableResult
    func sql(_ text: String, _ values: [SQLValue] = []) async throws -> [[SQLValue]] {
        let address = try PostgreSQLAddress(parsing: self.address)
        let connection = PostgreSQLConnection(address: address, timeout: .seconds(20)) { _ in }
        return try await connection.run { link in try link.run(SQLStatement(text), values) }
    }

    static func save(
        _ account: Account = PostgreSQLInstance.ada,
        generation: Int64 = 1,
        in store: PostgreSQLStore
    ) async throws {
        try await store.update(account) {
            try await $0.save(try .sample(for: account, generation: generation, size: 64))
        }
    }

    static func code(_ work: () async throws -> some Any) async -> StoreError.Code? { await Self.error(work)?.code }

    static func error(_ work: () async throws -> some Any) async -> StoreError? {
        do {
            _ = try await work()
            return nil
        } catch {
            return error as? StoreError
        }
    }
}
#endif
