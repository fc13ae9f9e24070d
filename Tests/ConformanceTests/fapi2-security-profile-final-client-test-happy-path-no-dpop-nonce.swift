// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraTesting
internal import Testing

@Suite("fapi2-security-profile-final-client-test-happy-path-no-dpop-nonce")
struct FAPIHappyPathWithoutNonceTests {
    @Test(
        "With FAPI 2.0, sends each request once if the provider requires no DPoP nonce",
        arguments: FAPIVariant.allCases
    )
    func signIn(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant)
        let session = try await provider.signIn()
        #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
        for path in ["/par", "/token", "/userinfo"] { #expect(provider.server.requests(to: path).count == 1) }
    }
}
