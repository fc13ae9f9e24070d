// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-bad-sig-es256` in the older OpenID test suite.
@Suite("oidcc-client-test-invalid-sig-es256")
struct InvalidSignatureES256Tests {
    @Test("Rejects an ID token with an altered ES256 signature", .covers(85))
    func altered() async throws {
        let provider = try ConformanceProvider {
            $0.algorithm = .es256
            $0.sign = { try $1.signIncorrectly($0) }
        }
        try await provider.expectRefusal(.jwsSignature)
    }

    @Test("Verifies an ES256 ID token with the provider's key")
    func valid() async throws {
        let provider = try ConformanceProvider { $0.algorithm = .es256 }
        #expect(try await provider.signIn().idToken != nil)
    }
}
