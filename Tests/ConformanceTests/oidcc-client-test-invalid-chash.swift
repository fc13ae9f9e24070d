// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-bad-c_hash` in the older OpenID test suite.
@Suite("oidcc-client-test-invalid-chash")
struct InvalidCodeHashTests {
    @Test("Rejects an ID token with the hash of another code", .covers(94))
    func hash() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["c_hash"] = "77QmUPtjPfzWtF2AnpK9RQ" } }
        try await provider.expectRefusal(.idTokenHash)
    }
}
