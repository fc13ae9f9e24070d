// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-bad-at_hash` in the older OpenID test suite.
///
/// The older test covers only the hybrid flow, and this one every flow.
@Suite("oidcc-client-test-invalid-athash")
struct InvalidAccessTokenHashTests {
    @Test("Rejects an ID token with the hash of another access token", .covers(94))
    func hash() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["at_hash"] = "77QmUPtjPfzWtF2AnpK9RQ" } }
        try await provider.expectRefusal(.idTokenHash)
    }
}
