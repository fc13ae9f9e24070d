// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// `rp-id_token-bad-c_hash` of the older suite.
@Suite("oidcc-client-test-invalid-chash")
struct InvalidCodeHashTests {
    @Test("An ID token with the hash of another code is refused", .covers(94))
    func hash() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["c_hash"] = "77QmUPtjPfzWtF2AnpK9RQ" } }
        try await provider.expectRefusal(.idTokenHash)
    }
}
