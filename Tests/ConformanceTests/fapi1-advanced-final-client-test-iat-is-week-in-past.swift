// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

/// The plan of FAPI 1.0 has this module, and the plans of FAPI 2.0 do not.
@Suite("fapi1-advanced-final-client-test-iat-is-week-in-past")
struct FAPIOldTokenTests {
    @Test("With FAPI 2.0, rejects an ID token that was issued a week ago", arguments: FAPIVariant.allCases)
    func issuedAt(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.idToken = { $0.add(-604_800, to: "iat", as: "iat") } }
        try await provider.expectFAPIRefusal(.jwtTime)
    }
}
