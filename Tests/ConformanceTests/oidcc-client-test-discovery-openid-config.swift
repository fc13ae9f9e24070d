// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraTesting
internal import TestTraits
internal import Testing

/// `rp-discovery-openid-configuration` of the older suite.
///
/// The two WebFinger modules have no tests: a program knows its provider.
@Suite("oidcc-client-test-discovery-openid-config")
struct DiscoveryTests {
    @Test("The metadata is asked for at its one place, and its endpoints are used", .covers(4))
    func discovery() async throws {
        let provider = try ConformanceProvider()
        try await provider.signIn()
        let paths = provider.server.requests.map(\.path)
        #expect(paths == ["/.well-known/openid-configuration", "/authorize", "/token", "/keys"])
    }
}
