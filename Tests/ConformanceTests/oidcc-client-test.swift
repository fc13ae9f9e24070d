// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// The happy path: `rp-response_type-code`, `rp-response_mode-form_post` and their sisters of the older suite.
@Suite("oidcc-client-test")
struct CodeFlowTests {
    @Test(
        "A person signs in however the answer comes, and the provider's word about them is read",
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
        "The client proves itself by the method that it is registered for",
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
