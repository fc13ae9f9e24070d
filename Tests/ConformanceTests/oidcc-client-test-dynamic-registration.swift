// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// Corresponds to `rp-registration-dynamic` in the older OpenID test suite.
@Suite("oidcc-client-test-dynamic-registration")
struct DynamicRegistrationTests {
    @Test("Signs a user in with a dynamically registered client")
    func register() async throws {
        let provider = try ConformanceProvider()
        let redirectURI = try RedirectURI(ScriptedUserAgent.redirectURI)
        let registration = try await RegisteredClient.register(
            ClientMetadata(clientName: "Conformance", redirectURIs: [redirectURI]),
            at: try await provider.metadata(),
            runtime: provider.runtime
        )
        #expect(registration.clientID == ConformanceProvider.clientID)
        let signIn = SignIn(
            try .issuer(provider.issuer, client: registration.client, insecure: .loopbackHTTP),
            runtime: provider.runtime,
            store: provider.store,
            userAgent: provider.userAgent
        )
        let session = try await signIn.signIn(scopes: [.openID])
        #expect(session.account.subject == ProviderEndpoints.subject)
        #expect(provider.server.requests(to: "/register").count == 1)
    }
}
