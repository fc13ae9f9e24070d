// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraTesting
internal import TestTraits
internal import Testing

/// `rp-nonce-unless-code-flow` of the older suite.
@Suite("oidcc-client-test-nonce")
struct NonceTests {
    @Test("A nonce is sent with each request, never the same, and its echo is accepted", .covers(25))
    func nonce() async throws {
        let provider = try ConformanceProvider()
        for _ in 1...2 { try await provider.signIn() }
        let nonces = provider.server.requests(to: "/authorize")
            .compactMap { $0.query.first { $0.name == "nonce" }?.value }
        #expect(Set(nonces).count == 2)
        #expect(nonces.allSatisfy { (22...64).contains($0.utf8.count) })
    }
}
