// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import Testing

/// Corresponds to `rp-id_token-missing-at_hash` in the older OpenID test suite.
///
/// The older test covers an access token in the redirect, which Tessera never requests. In the code flow, the hash is
/// optional.
@Suite("oidcc-client-test-missing-athash")
struct MissingAccessTokenHashTests {
    @Test("Accepts an ID token from the token endpoint without at_hash")
    func optional() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["at_hash"] = nil } }
        #expect(try await provider.signIn().idToken != nil)
    }
}
