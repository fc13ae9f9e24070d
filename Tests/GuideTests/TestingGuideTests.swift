// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

// The code in the guide of `TesseraTesting`.

// guide: test
@Suite("My sign-in")
struct MySignInTests {
    @Test("Refreshes an expired token once")
    func refresh() async throws {
        let provider = try ScriptedProvider()
        let signIn = SignIn(
            try provider.provider,
            runtime: provider.runtime,
            store: InMemoryStore(),
            userAgent: provider.userAgent()
        )
        let session = try await signIn.signIn(scopes: [.openID, .email])
        provider.clock.advance(by: .seconds(3_600))
        _ = try await session.accessToken()
        #expect(provider.refreshes.count == 1)
    }
}
// end

@Suite("Guide for tests")
struct TestingGuideTests {
    @Test("Simulates a denied scope, a failing endpoint, and a revocation")
    func mishaps() async throws {
        let provider = try ScriptedProvider()
        // guide: mishaps
        let userAgent = provider.userAgent(granting: [.openID])
        provider.intercept("/token") { _ in .status(.serviceUnavailable) }
        // end
        let signIn = SignIn(
            try provider.provider,
            runtime: provider.runtime,
            store: InMemoryStore(),
            userAgent: userAgent
        )
        await #expect(throws: (any Error).self) { try await signIn.signIn(scopes: [.openID, .email]) }
        provider.intercept("/token", nil)
        let session = try await signIn.signIn(scopes: [.openID, .email])
        #expect(session.grantedScopes.missing == [.email])
        // guide: revoked
        provider.revokeEverything()
        await #expect(throws: SessionEndedError.self) { try await session.refresh() }
        // end
    }

    // guide: contract
    @Test("The store satisfies the contract", arguments: SessionStoreContract.all)
    func contract(requirement: SessionStoreContract) async throws {
        try await requirement.verify(InMemoryStore())
    }
    // end
}
