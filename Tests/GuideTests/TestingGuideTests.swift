// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

// What the guide of `TesseraTesting` quotes.

// guide: test
@Suite("My sign-in")
struct MySignInTests {
    @Test("A token is refreshed once, when its hour is over")
    func refresh() async throws {
        let world = try ScriptedProvider()
        let signIn = SignIn(
            try world.provider,
            runtime: world.runtime,
            store: InMemoryStore(),
            userAgent: world.userAgent()
        )
        let session = try await signIn.signIn(scopes: [.openID, .email])
        world.clock.advance(by: .seconds(3_600))
        _ = try await session.accessToken()
        #expect(world.refreshes.count == 1)
    }
}
// end

@Suite("The guide to tests")
struct TestingGuideTests {
    @Test("What goes wrong can be played: a person who unticks, a provider that takes everything back")
    func mishaps() async throws {
        let world = try ScriptedProvider()
        // guide: mishaps
        let hesitant = world.userAgent(granting: [.openID])
        world.intercept("/token") { _ in .status(.serviceUnavailable) }
        // end
        let signIn = SignIn(
            try world.provider,
            runtime: world.runtime,
            store: InMemoryStore(),
            userAgent: hesitant
        )
        await #expect(throws: (any Error).self) { try await signIn.signIn(scopes: [.openID, .email]) }
        world.intercept("/token", nil)
        let session = try await signIn.signIn(scopes: [.openID, .email])
        #expect(session.grant.missing == [.email])
        // guide: revoked
        world.revokeEverything()
        await #expect(throws: SessionEndedError.self) { try await session.refresh() }
        // end
    }

    // guide: contract
    @Test("The store keeps the contract", arguments: SessionStoreContract.all)
    func contract(sentence: SessionStoreContract) async throws {
        try await sentence.verify(InMemoryStore())
    }
    // end
}
