// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

/// The plan of FAPI 1.0 has this module, and the plans of FAPI 2.0 do not.
@Suite("fapi1-advanced-final-client-test-encrypted-idtoken")
struct FAPIEncryptedTests {
    @Test("With FAPI 2.0, decrypts an ID token with the function of the program", arguments: FAPIVariant.allCases)
    func encrypted(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) {
            $0.sign = { EncryptedToken.encrypt(try $1.sign(payload: $0, type: "JWT"), algorithm: "RSA-OAEP") }
            $0.decrypt = EncryptedToken.decrypt
        }
        let session = try await provider.signIn()
        #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
    }

    @Test("With FAPI 2.0, rejects an encrypted ID token without a decryption function", arguments: FAPIVariant.allCases)
    func unsupported(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) {
            $0.sign = { EncryptedToken.encrypt(try $1.sign(payload: $0, type: "JWT"), algorithm: "RSA-OAEP") }
        }
        try await provider.expectFAPIRefusal(.jweUnsupported)
    }
}
