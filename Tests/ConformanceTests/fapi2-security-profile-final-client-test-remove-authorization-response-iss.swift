// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("fapi2-security-profile-final-client-test-remove-authorization-response-iss")
struct FAPIMissingResponseIssuerTests {
    @Test("With FAPI 2.0, rejects an authorization response without iss", arguments: FAPIVariant.allCases)
    func issuer(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.authorizationResponse = { $0["iss"] = nil } }
        try await provider.expectFAPIRefusal(.redirectIssuer)
        #expect(provider.server.requests(to: "/token").isEmpty)
    }
}
