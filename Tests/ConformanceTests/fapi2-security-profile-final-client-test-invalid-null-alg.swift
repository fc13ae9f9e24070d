// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

@Suite("fapi2-security-profile-final-client-test-invalid-null-alg")
struct FAPIUnsignedTests {
    @Test("With FAPI 2.0, rejects an unsigned ID token", arguments: FAPIVariant.allCases)
    func unsigned(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.sign = { claims, _ in .unsigned(claims) } }
        try await provider.expectFAPIRefusal(.jwsAlgorithm)
    }
}
