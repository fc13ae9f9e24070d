// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// `rp-key-rotation-op-sign-key` of the older suite.
@Suite("oidcc-client-test-signing-key-rotation")
struct SigningKeyRotationTests {
    @Test("After the provider has rotated its key, a sign-in fetches the keys once more", .covers(86))
    func rotation() async throws {
        let provider = try ConformanceProvider()
        try await provider.signIn()
        provider.rotateKey()
        provider.clock.advance(by: .seconds(60))
        #expect(try await provider.signIn().account.subject == ProviderEndpoints.subject)
        #expect(provider.server.requests(to: "/keys").count == 2)
    }
}
