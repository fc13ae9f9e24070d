// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

@Suite("fapi2-security-profile-final-client-test-invalid-missing-aud")
struct FAPIMissingAudienceTests {
    @Test("With FAPI 2.0, rejects an ID token without aud", arguments: FAPIVariant.allCases)
    func audience(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.idToken = { $0["aud"] = nil } }
        try await provider.expectFAPIRefusal(.jwtClaims)
    }
}
