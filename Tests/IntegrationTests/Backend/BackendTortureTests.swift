// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && PostgreSQL
internal import Foundation
internal import TesseraTesting
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite(
    "Backends that end and begin under load",
    .enabled(if: ExamplePrograms.areBuilt, "the examples are not built: make examples"),
    .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed"),
    .serialized
)
struct BackendTortureTests {
    private static let people = Repetitions.count("TESSERA_BACKEND_PEOPLE", default: 20)
    private static let seconds = Double(Repetitions.count("TESSERA_BACKEND_SECONDS", default: 9))
    /// Of an access token, in seconds: longer than a busy machine may take for an answer.
    private static let lifetime = Repetitions.count("TESSERA_BACKEND_LIFETIME", default: 4)

    private static func run(_ ending: BackendTorture.Ending, rotates: Bool) async throws -> BackendTorture.Outcome {
        let torture = BackendTorture(
            people: self.people,
            seconds: self.seconds,
            ending: ending,
            rotates: rotates,
            lifetime: self.lifetime
        )
        let outcome = try await torture.run()
        let columns = [
            ending.rawValue, rotates ? "rotating" : "fixed", "\(self.people)", "\(outcome.endings)", "\(outcome.calls)",
            "\(outcome.failures.count + outcome.refused.count)", "\(outcome.refreshRequests)",
            "\(outcome.savedRefreshes)", "\(outcome.needless)", "\(outcome.ended.count)",
        ]
        print("backend-torture: " + columns.joined(separator: " "))
        #expect(outcome.refreshed == Self.people)
        #expect(outcome.endings >= 2)
        #expect(outcome.calls > Self.people)
        #expect(outcome.failures.isEmpty, "\(outcome.failures.prefix(3))")
        return outcome
    }

    @Test("Ended by SIGTERM: no call fails, and each expiry costs a person one refresh", arguments: [false, true])
    func terminated(rotates: Bool) async throws {
        let outcome = try await Self.run(.terminate, rotates: rotates)
        #expect(outcome.refused.isEmpty)
        #expect(outcome.ended.isEmpty)
        #expect(outcome.complaints.isEmpty, "\(outcome.complaints.prefix(3))")
        #expect(outcome.needless == 0)
        #expect(outcome.savedRefreshes == outcome.refreshRequests)
    }

    @Test("Killed: no call fails but those on the wire, and each expiry costs one refresh, but for those cut off")
    func killed() async throws {
        let outcome = try await Self.run(.kill, rotates: false)
        #expect(outcome.refused.isEmpty)
        #expect(outcome.ended.isEmpty)
        let cutOff = outcome.refreshRequests - outcome.savedRefreshes
        // An instance has at most its job's calls and the apps' under way.
        #expect(cutOff >= 0)
        #expect(cutOff <= Int64(outcome.endings * 8))
        #expect(outcome.needless <= Int(cutOff))
    }

    @Test("Killed, with rotating refresh tokens: only sessions that were cut off in a refresh need a new sign-in")
    func killedRotating() async throws {
        let outcome = try await Self.run(.kill, rotates: true)
        #expect(outcome.ended.values.allSatisfy { $0 == "interrupted" }, "\(outcome.ended)")
        #expect(Set(outcome.refused.keys).isSubset(of: outcome.ended.keys))
        #expect(outcome.ended.count <= outcome.endings * 8)
    }
}
#endif
