// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

/// The plan of the second implementer's draft has this module, and the final plans do not.
@Suite("fapi2-security-profile-id2-client-test-invalid-signature")
struct FAPIInvalidSignatureTests {
    @Test("With FAPI 2.0, rejects an ID token with an altered signature", arguments: FAPIVariant.allCases)
    func signature(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.sign = { try $1.signIncorrectly($0) } }
        try await provider.expectFAPIRefusal(.jwsSignature)
    }
}
