// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

@Suite("fapi2-security-profile-final-client-test-invalid-expired-exp")
struct FAPIExpiredTests {
    @Test(
        "With FAPI 2.0, rejects an ID token that expired before the tolerated clock difference",
        arguments: FAPIVariant.allCases
    )
    func expired(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.idToken = { $0.add(-301, to: "iat", as: "exp") } }
        try await provider.expectFAPIRefusal(.jwtTime)
    }
}
