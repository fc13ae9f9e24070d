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
    "Session store contract in PostgreSQL",
    .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed"),
    SharedPostgreSQL()
)
struct PostgreSQLContractTests {
    @Test("The PostgreSQL store fulfills the session store contract", .covers(115), arguments: SessionStoreContract.all)
    func contract(requirement: SessionStoreContract) async throws {
        let server = try #require(PostgreSQLInstance.shared)
        try await requirement.verify(try server.store(PostgreSQLInstance.newSchema()))
    }

    @Test(
        "Two stores on one PostgreSQL schema fulfill the session store contract",
        .covers(116),
        arguments: SessionStoreContract.all
    )
    func twoInstances(requirement: SessionStoreContract) async throws {
        let server = try #require(PostgreSQLInstance.shared)
        let schema = PostgreSQLInstance.newSchema()
        try await requirement.verify(AlternatingStore(try server.store(schema), try server.store(schema)))
    }

    @Test("Twenty stores that open together create the tables once and save every session")
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
