// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Sign-in with a security profile")
struct SecurityProfileSignInTests {
    @Test(
        "Sends no request, not even for metadata, if the provider's settings violate the profile",
        arguments: [DPoPPolicy.never, .whenSupported, .required]
    )
    func settings(_ dpop: DPoPPolicy) async throws {
        let network = try ScriptedProvider()
        var provider = try network.provider
        provider.client.securityProfile = .fapi2
        provider.dpop = dpop
        if dpop == .never {
            provider.client.clientSecret = nil
            provider.client.assertionKey = network.signingKey
        }
        let signIn = SignIn(
            provider,
            runtime: network.runtime,
            store: InMemoryStore(),
            userAgent: network.userAgent()
        )
        let error = await #expect(throws: InvalidRequestError.self) { try await signIn.signIn(scopes: [.openID]) }
        #expect(error?.name == (dpop == .never ? "dpop" : "token_endpoint_auth_method"))
        #expect(network.requests.isEmpty)
    }

    @Test("Does not refresh a session that violates the profile, which remains usable without the profile")
    func refresh() async throws {
        let network = try ScriptedProvider()
        let store = InMemoryStore()
        func signIn(_ profile: SecurityProfile?) throws -> SignIn {
            var provider = try network.provider
            provider.client.securityProfile = profile
            return SignIn(provider, runtime: network.runtime, store: store, userAgent: network.userAgent())
        }
        let session = try await signIn(nil).signIn(scopes: [.openID])
        let restored = try #require(try await signIn(.fapi2).restore())
        network.clock.advance(by: .seconds(3_600))
        await #expect(throws: InvalidRequestError.self) { try await restored.accessToken() }
        #expect(restored.ended == nil)
        #expect(network.refreshes.isEmpty)
        _ = try await session.accessToken()
        #expect(network.refreshes.count == 1)
    }
}
