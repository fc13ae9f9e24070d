// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Foundation
internal import Tessera
internal import TesseraPostgreSQL
internal import TesseraTesting
internal import TestPrograms
internal import Testing

@Suite(
    "Transient store in PostgreSQL",
    .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed"),
    SharedPostgreSQL()
)
struct PostgreSQLTransientTests {
    @Test(
        "Two stores on one PostgreSQL schema fulfill the transient store contract",
        arguments: TransientStoreContract.all
    )
    func contract(requirement: TransientStoreContract) async throws {
        let server = try #require(PostgreSQLInstance.shared)
        let schema = PostgreSQLInstance.newSchema()
        try await requirement.verify(try server.store(schema), try server.store(schema))
    }
}
#endif
