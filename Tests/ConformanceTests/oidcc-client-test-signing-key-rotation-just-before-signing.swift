// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// `rp-key-rotation-op-sign-key-native` of the older suite.
@Suite("oidcc-client-test-signing-key-rotation-just-before-signing")
struct SigningKeyRotationJustBeforeSigningTests {
    @Test("A key that takes over just before an ID token is signed is fetched for that token", .covers(86))
    func rotation() async throws {
        let provider = try ConformanceProvider { $0.rotatesBeforeSigning = true }
        try await provider.signIn()
        provider.clock.advance(by: .seconds(60))
        #expect(try await provider.signIn().account.subject == ProviderEndpoints.subject)
        #expect(provider.server.requests(to: "/keys").count == 2)
    }
}
