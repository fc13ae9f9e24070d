// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Foundation
internal import TesseraTesting
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite(
    "Stress tests of the stores",
    .enabled(if: ProcessInfo.processInfo.environment["TESSERA_TORTURE"] != nil, "run by make torture"),
    .serialized
)
struct TortureProcessTests {
    private static let rounds = Repetitions.count("TESSERA_TORTURE", default: 500)

    @Test("Eight processes with one account refresh once per expiry", arguments: ["file", "sqlite", "postgresql"])
    func eight(kind: String) async throws {
        func run(_ server: PostgreSQLInstance?) async throws -> RefreshRounds.Outcome {
            try await RefreshRounds(kind: kind, processes: 8, rounds: Self.rounds, server: server).run()
        }
        let outcome =
            kind == "postgresql" ? try await PostgreSQLInstance.with { try await run($0) } : try await run(nil)
        Self.report(kind, 8, outcome, restarts: 0)
        #expect(outcome == .flawless(rounds: Self.rounds))
    }

    @Test("Two processes keep their session while PostgreSQL restarts at random")
    func restarting() async throws {
        let outcome = try await PostgreSQLInstance.with { instance in
            let rounds = RefreshRounds(kind: "postgresql", processes: 2, rounds: Self.rounds, server: instance)
            return try await instance.restarting { try await rounds.run($0) }
        }
        Self.report("postgresql", 2, outcome.value, restarts: outcome.restarts)
        #expect(outcome.value == .flawless(rounds: Self.rounds))
        #expect(outcome.restarts > 0)
    }

    /// Prints a row of the table.
    ///
    /// The columns are store, processes, refreshes, token requests, `invalid_grant`, other failures and restarts.
    private static func report(_ kind: String, _ processes: Int, _ outcome: RefreshRounds.Outcome, restarts: Int) {
        let columns = [
            kind, "\(processes)", "\(processes * outcome.rounds)", "\(outcome.tokenRequests)",
            "\(outcome.invalidGrants)", "\(outcome.failures.count)", "\(restarts)",
        ]
        print("torture: " + columns.joined(separator: " "))
    }
}
#endif
