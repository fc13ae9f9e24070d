// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Sessions of several accounts")
struct CrossAccountTests {
    /// The number of interleavings.
    ///
    /// `make torture` runs 10,000.
    private static let rounds = Repetitions.count("TESSERA_INTERLEAVINGS", default: 2_000)

    @Test("Never uses another account's token, however the refreshes interleave")
    func interleavings() async throws {
        let seed = TestSeed.printed()
        let (environment, sessions) = try await TestEnvironment.withThreeSessions { environment in
            // Refreshes return no ID tokens, because verifying signatures would take most of the time.
            let network = environment.network
            network.options.idTokens = { claims, isRefresh in isRefresh ? nil : try network.sign(claims) }
        }
        let network = environment.network
        let order = SeededOrder(seed: seed)
        environment.store.before(.entryLoad) { await order.turn() }
        environment.store.before(.save) { await order.turn() }
        environment.tokenEndpoint { _ in
            await order.turn()
            return nil
        }
        for round in 1...Self.rounds {
            environment.expire()
            _ = network.takeRequests()
            try await order.run { [sessions] in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for session in sessions + sessions {
                        group.addTask {
                            let subject = try await session.userInfo()["sub"]?.string
                            #expect(subject == session.account.subject, "seed \(seed), round \(round)")
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let requests = network.takeRequests().count { $0.path == "/token" }
            #expect(requests == sessions.count, "seed \(seed), round \(round)")
        }
        for session in sessions { #expect(session.ended == nil, "seed \(seed)") }
    }
}
