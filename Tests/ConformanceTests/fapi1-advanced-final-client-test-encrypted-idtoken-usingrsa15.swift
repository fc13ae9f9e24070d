// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

/// The plan of FAPI 1.0 has this module, and the plans of FAPI 2.0 do not.
@Suite("fapi1-advanced-final-client-test-encrypted-idtoken-usingrsa15")
struct FAPIEncryptedRSA15Tests {
    @Test("With FAPI 2.0, rejects an ID token that is encrypted with RSA1_5", arguments: FAPIVariant.allCases)
    func encrypted(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) {
            $0.sign = { EncryptedToken.encrypt(try $1.sign(payload: $0, type: "JWT"), algorithm: "RSA1_5") }
            $0.decrypt = EncryptedToken.decrypt
        }
        try await provider.expectFAPIRefusal(.jweDecryption)
    }
}
