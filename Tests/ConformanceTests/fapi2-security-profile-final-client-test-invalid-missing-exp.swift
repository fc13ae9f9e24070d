// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

@Suite("fapi2-security-profile-final-client-test-invalid-missing-exp")
struct FAPIMissingExpirationTests {
    @Test("With FAPI 2.0, rejects an ID token without exp", arguments: FAPIVariant.allCases)
    func expiration(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.idToken = { $0["exp"] = nil } }
        try await provider.expectFAPIRefusal(.jwtClaims)
    }
}
