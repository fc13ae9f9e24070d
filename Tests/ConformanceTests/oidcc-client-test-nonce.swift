// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Corresponds to `rp-nonce-unless-code-flow` in the older OpenID test suite.
@Suite("oidcc-client-test-nonce")
struct NonceTests {
    @Test("Sends a new nonce with each request and accepts it in the ID token", .covers(25))
    func nonce() async throws {
        let provider = try ConformanceProvider()
        for _ in 1...2 { try await provider.signIn() }
        let nonces = provider.server.requests(to: "/authorize")
            .compactMap { $0.query.first { $0.name == "nonce" }?.value }
        #expect(Set(nonces).count == 2)
        #expect(nonces.allSatisfy { (22...64).contains($0.utf8.count) })
    }
}
