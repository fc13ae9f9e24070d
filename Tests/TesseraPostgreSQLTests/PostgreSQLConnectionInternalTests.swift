// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraOAuth
@testable internal import TesseraPostgreSQL
internal import TesseraStores
internal import TestPrograms
internal import Testing

@Suite(
    "Connections to PostgreSQL that others have changed",
    .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed"),
    SharedPostgreSQL(),
    .timeLimit(.minutes(1))
)
struct PostgreSQLConnectionInternalTests {
    private let server: PostgreSQLInstance

    init() throws { self.server = try #require(PostgreSQLInstance.shared) }

    @Test(
        "Connects again if prepared statements are missing, belong to another client or are outdated",
        arguments: ["DEALLOCATE ALL", "PREPARE other AS SELECT 1", "ALTER TABLE numbers ALTER number TYPE text"]
    )
    func preparedStatements(change: String) async throws {
        let connection = PostgreSQLConnection(
            address: try PostgreSQLAddress(parsing: self.server.address),
            timeout: .seconds(20)
        ) { link in
            _ = try link.run(SQLStatement("CREATE TEMPORARY TABLE numbers AS SELECT 42::int8 AS number"))
        }
        let number = SQLStatement("SELECT number FROM numbers", name: "number")
        let other = SQLStatement("SELECT number FROM numbers", name: "other")
        _ = try await connection.run { try $0.run(number) }
        _ = try await connection.run { try $0.run(SQLStatement(change)) }
        let rows = try await connection.run { link in [try link.run(number), try link.run(other)] }
        #expect(rows.map { $0.first?.first?.integer } == [42, 42])
    }

    @Test("Calls no functions of a schema that the role's search path names first")
    func searchPath() async throws {
        try await self.server.sql("CREATE SCHEMA other")
        for function in ["set_config(text, text, boolean)", "current_setting(text)", "clock_timestamp()"] {
            try await self.server.sql(
                """
                CREATE FUNCTION other.\(function) RETURNS \(function.hasPrefix("clock") ? "timestamptz" : "text")
                LANGUAGE plpgsql AS $$ BEGIN RAISE 'another function was called'; END $$
                """
            )
        }
        try await self.server.sql("ALTER ROLE CURRENT_USER SET search_path = other, pg_catalog")
        let error = await PostgreSQLInstance.error { try await self.server.sql("SELECT clock_timestamp()") }
        #expect(error != nil, "The search path has no effect.")

        let store = try self.server.store(PostgreSQLInstance.newSchema())
        try await PostgreSQLInstance.save(in: store)
        #expect(try await store.load(PostgreSQLInstance.ada)?.generation == 1)
        try await self.server.sql("ALTER ROLE CURRENT_USER RESET search_path")
    }
}
#endif
