// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// `rp-id_token-bad-sig-rs256` of the older suite.
@Suite("oidcc-client-test-invalid-sig-rs256")
struct InvalidSignatureRS256Tests {
    @Test("An ID token whose RS256 signature was altered is refused", .covers(85))
    func altered() async throws {
        let provider = try ConformanceProvider { $0.sign = { try $1.signWrongly($0) } }
        try await provider.expectRefusal(.jwsSignature)
    }
}
