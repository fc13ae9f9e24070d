// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraTesting
internal import Testing

@Suite("fapi2-security-profile-final-client-test-rs-dpop-auth-scheme-case-insensitivity")
struct FAPISchemeCaseTests {
    @Test("With FAPI 2.0, ignores the case of the DPoP scheme in a challenge", arguments: FAPIVariant.dpop)
    func scheme(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) {
            $0.dpopNonce = "nonce"
            $0.challengeScheme = "dPoP"
        }
        let session = try await provider.signIn()
        #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
        #expect(provider.server.requests(to: "/userinfo").count == 2)
    }
}
