// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraTesting
internal import Testing

/// `rp-id_token-sig-rs256` of the older suite.
@Suite("oidcc-client-test-idtoken-sig-rs256")
struct SignatureRS256Tests {
    @Test("An ID token signed with RS256 is verified with the provider's key")
    func rs256() async throws {
        let provider = try ConformanceProvider()
        #expect(try await provider.signIn().idToken != nil)
        #expect(provider.server.requests(to: "/keys").count == 1)
    }
}
