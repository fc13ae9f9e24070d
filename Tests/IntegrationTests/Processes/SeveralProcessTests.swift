// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite("Several processes that share a store")
struct SeveralProcessTests {
    @Test("Two processes refresh once per expiry, 200 times in a row", .covers(116))
    func files() async throws {
        #expect(try await RefreshRounds(kind: "file", processes: 2, rounds: 200).run() == .flawless(rounds: 200))
    }

    #if SQLite
    @Test("Four processes that share a SQLite database refresh once per expiry", .covers(116))
    func sqlite() async throws {
        #expect(try await RefreshRounds(kind: "sqlite", processes: 4, rounds: 40).run() == .flawless(rounds: 40))
    }
    #endif

    #if PostgreSQL
    @Test(
        "Four processes that share a PostgreSQL database refresh once per expiry",
        .covers(116),
        .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed")
    )
    func postgreSQL() async throws {
        let outcome = try await PostgreSQLInstance.with { instance in
            try await RefreshRounds(kind: "postgresql", processes: 4, rounds: 40, server: instance).run()
        }
        #expect(outcome == .flawless(rounds: 40))
    }

    @Test(
        "Two processes refresh once per expiry while PostgreSQL restarts repeatedly",
        .covers(115, 116),
        .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed")
    )
    func postgreSQLRestarting() async throws {
        let outcome = try await PostgreSQLInstance.with { instance in
            let rounds = RefreshRounds(kind: "postgresql", processes: 2, rounds: 40, server: instance)
            return try await instance.restarting { try await rounds.run($0) }
        }
        #expect(outcome.value == .flawless(rounds: 40))
        #expect(outcome.restarts > 0)
    }
    #endif
}
#endif
