// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import Testing

@Suite("fapi2-security-profile-final-client-test-token-endpoint-response-without-expires_in")
struct FAPIUnknownLifetimeTests {
    @Test("With FAPI 2.0, uses an access token of unknown lifetime", arguments: FAPIVariant.allCases)
    func lifetime(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.tokenResponse = { $0["expires_in"] = nil } }
        let session = try await provider.signIn()
        #expect(session.expiresAt == nil)
        #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
    }
}
