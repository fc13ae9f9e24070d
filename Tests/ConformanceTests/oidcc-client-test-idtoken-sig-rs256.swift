// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraTesting
internal import Testing

/// Corresponds to `rp-id_token-sig-rs256` in the older OpenID test suite.
@Suite("oidcc-client-test-idtoken-sig-rs256")
struct SignatureRS256Tests {
    @Test("Verifies an RS256 ID token with the provider's key")
    func rs256() async throws {
        let provider = try ConformanceProvider()
        #expect(try await provider.signIn().idToken != nil)
        #expect(provider.server.requests(to: "/keys").count == 1)
    }
}
