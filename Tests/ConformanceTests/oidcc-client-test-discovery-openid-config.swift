// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Corresponds to `rp-discovery-openid-configuration` in the older OpenID test suite.
///
/// The two WebFinger modules have no tests, because a program knows its provider.
@Suite("oidcc-client-test-discovery-openid-config")
struct DiscoveryTests {
    @Test("Fetches the metadata from the well-known URL and uses its endpoints", .covers(4))
    func discovery() async throws {
        let provider = try ConformanceProvider()
        try await provider.signIn()
        let paths = provider.server.requests.map(\.path)
        #expect(paths == ["/.well-known/openid-configuration", "/authorize", "/token", "/keys"])
    }
}
