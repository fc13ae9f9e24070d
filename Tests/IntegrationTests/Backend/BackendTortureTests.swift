// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && PostgreSQL
internal import Foundation
internal import TesseraTesting
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite(
    "Restarts of the backend under load",
    .enabled(if: ExamplePrograms.areBuilt, "the examples are not built: make examples"),
    .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed"),
    .serialized
)
struct BackendTortureTests {
    private static let users = Repetitions.count("TESSERA_BACKEND_PEOPLE", default: 20)
    private static let seconds = Double(Repetitions.count("TESSERA_BACKEND_SECONDS", default: 9))
    /// The lifetime of an access token, in seconds, which must exceed the response time of a busy machine.
    private static let lifetime = Repetitions.count("TESSERA_BACKEND_LIFETIME", default: 4)

    private static func run(_ ending: BackendTorture.Ending, rotates: Bool) async throws -> BackendTorture.Outcome {
        let torture = BackendTorture(
            users: self.users,
            seconds: self.seconds,
            ending: ending,
            rotates: rotates,
            lifetime: self.lifetime
        )
        let outcome = try await torture.run()
        let columns = [
            ending.rawValue, rotates ? "rotating" : "fixed", "\(self.users)", "\(outcome.restarts)", "\(outcome.calls)",
            "\(outcome.failures.count + outcome.refused.count)", "\(outcome.refreshRequests)",
            "\(outcome.savedRefreshes)", "\(outcome.earlyRefreshes)", "\(outcome.ended.count)",
        ]
        print("backend-torture: " + columns.joined(separator: " "))
        #expect(outcome.refreshedUsers == Self.users)
        #expect(outcome.restarts >= 2)
        #expect(outcome.calls > Self.users)
        #expect(outcome.failures.isEmpty, "\(outcome.failures.prefix(3))")
        return outcome
    }

    @Test("No call fails when instances end with SIGTERM, and each expiry costs one refresh", arguments: [false, true])
    func terminated(rotates: Bool) async throws {
        let outcome = try await Self.run(.terminate, rotates: rotates)
        #expect(outcome.refused.isEmpty)
        #expect(outcome.ended.isEmpty)
        #expect(outcome.warnings.isEmpty, "\(outcome.warnings.prefix(3))")
        #expect(outcome.earlyRefreshes == 0)
        #expect(outcome.savedRefreshes == outcome.refreshRequests)
    }

    @Test("A killed instance fails only the calls in flight and repeats only interrupted refreshes")
    func killed() async throws {
        let outcome = try await Self.run(.kill, rotates: false)
        #expect(outcome.refused.isEmpty)
        #expect(outcome.ended.isEmpty)
        let cutOff = outcome.refreshRequests - outcome.savedRefreshes
        // At most 8 calls of the job and of the apps are in flight at an instance.
        #expect(cutOff >= 0)
        #expect(cutOff <= Int64(outcome.restarts * 8))
        #expect(outcome.earlyRefreshes <= Int(cutOff))
    }

    @Test("With rotating tokens, a kill ends only sessions whose refresh was interrupted")
    func killedRotating() async throws {
        let outcome = try await Self.run(.kill, rotates: true)
        #expect(outcome.ended.values.allSatisfy { $0 == "interrupted" }, "\(outcome.ended)")
        #expect(Set(outcome.refused.keys).isSubset(of: outcome.ended.keys))
        #expect(outcome.ended.count <= outcome.restarts * 8)
    }
}
#endif
