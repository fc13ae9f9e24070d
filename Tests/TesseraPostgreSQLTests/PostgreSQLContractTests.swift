// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraPostgreSQL
internal import TesseraTesting
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite(
    "The contract of session stores in PostgreSQL",
    .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed"),
    SharedPostgreSQL()
)
struct PostgreSQLContractTests {
    @Test("The store in PostgreSQL keeps the contract", .covers(115), arguments: SessionStoreContract.all)
    func contract(sentence: SessionStoreContract) async throws {
        let server = try #require(PostgreSQLInstance.shared)
        try await sentence.verify(try server.store(PostgreSQLInstance.newSchema()))
    }

    @Test("Two stores on one schema keep the contract between them", .covers(116), arguments: SessionStoreContract.all)
    func twoInstances(sentence: SessionStoreContract) async throws {
        let server = try #require(PostgreSQLInstance.shared)
        let schema = PostgreSQLInstance.newSchema()
        try await sentence.verify(AlternatingStore(try server.store(schema), try server.store(schema)))
    }

    @Test("Twenty stores that come first together make the tables once, and every session is kept")
    func first() async throws {
        let server = try #require(PostgreSQLInstance.shared)
        let schema = PostgreSQLInstance.newSchema()
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    let store = try server.store(schema)
                    let account = Account(issuer: "https://a.example", clientID: "client", subject: "\(number)")
                    try await store.update(account) { try await $0.save(try .sample(for: account)) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await server.store(schema).list().count == 20)
    }
}
#endif
