// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Corresponds to `rp-discovery-jwks_uri-keys` in the older OpenID test suite.
@Suite("oidcc-client-test-discovery-jwks-uri-keys")
struct DiscoveryKeysTests {
    @Test("Fetches the keys from jwks_uri once for two sign-ins")
    func keys() async throws {
        let provider = try ConformanceProvider()
        for _ in 1...2 { try await provider.signIn() }
        #expect(provider.server.requests(to: "/keys").count == 1)
    }

    @Test("Rejects the sign-in if the key set is malformed", .covers(97))
    func unreadable() async throws {
        let provider = try ConformanceProvider { $0.keys = { _ in ["no key"] } }
        try await provider.expectRefusal(.jwkSetFormat)
    }
}
