// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("fapi2-security-profile-final-client-test-ensure-jarm-without-iss-fails")
struct JARMMissingIssuerTests {
    @Test("Rejects a signed response without iss", arguments: FAPIVariant.allCases)
    func response(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.authorizationResponse = { $0["iss"] = nil } }
        try await provider.expectFAPIRefusal(.jwtClaims, responseMode: .jwt)
        #expect(provider.server.requests(to: "/token").isEmpty)
    }
}
