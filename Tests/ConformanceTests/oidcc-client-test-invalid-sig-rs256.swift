// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-bad-sig-rs256` in the older OpenID test suite.
@Suite("oidcc-client-test-invalid-sig-rs256")
struct InvalidSignatureRS256Tests {
    @Test("Rejects an ID token with an altered RS256 signature", .covers(85))
    func altered() async throws {
        let provider = try ConformanceProvider { $0.sign = { try $1.signIncorrectly($0) } }
        try await provider.expectRefusal(.jwsSignature)
    }
}
