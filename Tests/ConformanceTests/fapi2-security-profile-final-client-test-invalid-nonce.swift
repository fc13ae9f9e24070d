// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

@Suite("fapi2-security-profile-final-client-test-invalid-nonce")
struct FAPIInvalidNonceTests {
    @Test("With FAPI 2.0, rejects an ID token with another nonce", arguments: FAPIVariant.allCases)
    func nonce(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.idToken = { $0["nonce"] = "another" } }
        try await provider.expectFAPIRefusal(.idTokenNonce)
    }
}
