// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Accounts beside each other")
struct CrossAccountTests {
    /// How many interleavings are drawn; `make torture` asks for 10,000.
    private static let rounds = Repetitions.count("TESSERA_INTERLEAVINGS", default: 2_000)

    @Test("No call for one account carries another's token, however their refreshes interleave")
    func interleavings() async throws {
        let seed = TestSeed.printed()
        let (world, sessions) = try await World.withThreeSessions { world in
            // The refreshed ID tokens are another test's: their signatures would take most of the time.
            let network = world.network
            network.options.idTokens = { claims, isRefresh in isRefresh ? nil : try network.sign(claims) }
        }
        let network = world.network
        let order = SeededOrder(seed: seed)
        world.store.before(.entryLoad) { await order.turn() }
        world.store.before(.save) { await order.turn() }
        world.tokenEndpoint { _ in
            await order.turn()
            return nil
        }
        for round in 1...Self.rounds {
            world.expire()
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
