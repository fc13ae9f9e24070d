// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Corresponds to `rp-key-rotation-op-sign-key-native` in the older OpenID test suite.
@Suite("oidcc-client-test-signing-key-rotation-just-before-signing")
struct SigningKeyRotationJustBeforeSigningTests {
    @Test("Fetches a key that was rotated just before the ID token was signed", .covers(86))
    func rotation() async throws {
        let provider = try ConformanceProvider { $0.rotatesBeforeSigning = true }
        try await provider.signIn()
        provider.clock.advance(by: .seconds(60))
        #expect(try await provider.signIn().account.subject == ProviderEndpoints.subject)
        #expect(provider.server.requests(to: "/keys").count == 2)
    }
}
