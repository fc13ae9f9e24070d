// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

@Suite("fapi2-security-profile-final-client-test-invalid-missing-nonce")
struct FAPIMissingNonceTests {
    @Test("With FAPI 2.0, rejects an ID token without a nonce", arguments: FAPIVariant.allCases)
    func nonce(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.idToken = { $0["nonce"] = nil } }
        try await provider.expectFAPIRefusal(.idTokenNonce)
    }
}
