// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Corresponds to `rp-key-rotation-op-sign-key` in the older OpenID test suite.
@Suite("oidcc-client-test-signing-key-rotation")
struct SigningKeyRotationTests {
    @Test("Fetches the keys again after the provider rotates its signing key", .covers(86))
    func rotation() async throws {
        let provider = try ConformanceProvider()
        try await provider.signIn()
        provider.rotateKey()
        provider.clock.advance(by: .seconds(60))
        #expect(try await provider.signIn().account.subject == ProviderEndpoints.subject)
        #expect(provider.server.requests(to: "/keys").count == 2)
    }
}
