// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("fapi2-security-profile-final-client-test-ensure-jarm-with-expired-exp-fails")
struct JARMExpiredTests {
    @Test(
        "Rejects a signed response that expired before the tolerated clock difference",
        arguments: FAPIVariant.allCases
    )
    func response(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) {
            $0.authorizationResponse = { $0.add(-901, to: "exp", as: "exp") }
        }
        try await provider.expectFAPIRefusal(.jwtTime, responseMode: .jwt)
        #expect(provider.server.requests(to: "/token").isEmpty)
    }
}
