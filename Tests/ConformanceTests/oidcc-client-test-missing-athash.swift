// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import Testing

/// `rp-id_token-missing-at_hash` of the older suite.
///
/// It is about an access token in the redirect, which is never asked for here; in the code flow the hash is optional.
@Suite("oidcc-client-test-missing-athash")
struct MissingAccessTokenHashTests {
    @Test("An ID token from the token endpoint may leave the hash of the access token out")
    func optional() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["at_hash"] = nil } }
        #expect(try await provider.signIn().idToken != nil)
    }
}
