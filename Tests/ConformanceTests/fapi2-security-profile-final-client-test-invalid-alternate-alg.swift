// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

@Suite("fapi2-security-profile-final-client-test-invalid-alternate-alg")
struct FAPIAlternateAlgorithmTests {
    @Test("With FAPI 2.0, rejects an RS256 ID token even if the metadata lists RS256", arguments: FAPIVariant.allCases)
    func algorithm(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) {
            $0.metadata = { $0["id_token_signing_alg_values_supported"] = ["RS256", "ES256"] }
            $0.sign = { claims, _ in try ProviderEndpoints.rsaKeys.get()[0].sign(payload: claims, type: "JWT") }
        }
        try await provider.expectFAPIRefusal(.jwsAlgorithm)
    }
}
