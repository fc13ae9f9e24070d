// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("fapi2-security-profile-final-client-test-discovery-issuer-mismatch")
struct FAPIDiscoveryIssuerMismatchTests {
    @Test("With FAPI 2.0, rejects metadata of another issuer before any other request", arguments: FAPIVariant.allCases)
    func mismatch(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.metadata = { $0["issuer"] = "https://evil.example" } }
        try await provider.expectFAPIRefusal(.issuerMatch)
        #expect(provider.server.requests.map(\.path) == ["/.well-known/openid-configuration"])
    }
}
