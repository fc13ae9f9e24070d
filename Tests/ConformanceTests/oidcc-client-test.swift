// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Corresponds to `rp-response_type-code`, `rp-response_mode-form_post` and others in the older OpenID test suite.
@Suite("oidcc-client-test")
struct CodeFlowTests {
    @Test(
        "Signs a user in with every response variant and reads the user information",
        arguments: Variant.allCases
    )
    func signIn(_ variant: Variant) async throws {
        let provider = try ConformanceProvider()
        let session = try await provider.signIn([.openID, .email], variant.options)
        #expect(session.account.subject == ProviderEndpoints.subject)
        #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
        #expect(try await provider.store.list() == [session.account])
    }

    @Test(
        "Authenticates with the client's registered method",
        .covers(62, 65),
        arguments: [ClientAuthentication.clientSecretBasic, .clientSecretPost, .clientSecretJWT, .privateKeyJWT]
    )
    func authentication(_ method: ClientAuthentication) async throws {
        let provider = try ConformanceProvider(authentication: method)
        let session = try await provider.signIn()
        provider.clock.advance(by: .seconds(3_600))
        #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
        #expect(provider.server.requests(to: "/token").count == 2)
    }
}
