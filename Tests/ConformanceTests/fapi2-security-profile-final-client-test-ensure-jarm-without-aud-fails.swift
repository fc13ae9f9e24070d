// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("fapi2-security-profile-final-client-test-ensure-jarm-without-aud-fails")
struct JARMMissingAudienceTests {
    @Test("Rejects a signed response without aud", arguments: FAPIVariant.allCases)
    func response(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.authorizationResponse = { $0["aud"] = nil } }
        try await provider.expectFAPIRefusal(.jwtClaims, responseMode: .jwt)
        #expect(provider.server.requests(to: "/token").isEmpty)
    }
}
