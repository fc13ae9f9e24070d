// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

@Suite("fapi2-security-profile-final-client-test-invalid-secondary-aud")
struct FAPIInvalidSecondaryAudienceTests {
    @Test("With FAPI 2.0, rejects an ID token with another audience and no azp", arguments: FAPIVariant.allCases)
    func audience(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) {
            $0.idToken = { $0["aud"] = [.string(ConformanceProvider.clientID), "another"] }
        }
        try await provider.expectFAPIRefusal(.idTokenAuthorizedParty)
    }
}
