// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// `rp-id_token-bad-at_hash` of the older suite, which asks it of the hybrid flow; here it holds for every flow.
@Suite("oidcc-client-test-invalid-athash")
struct InvalidAccessTokenHashTests {
    @Test("An ID token with the hash of another access token is refused", .covers(94))
    func hash() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["at_hash"] = "77QmUPtjPfzWtF2AnpK9RQ" } }
        try await provider.expectRefusal(.idTokenHash)
    }
}
