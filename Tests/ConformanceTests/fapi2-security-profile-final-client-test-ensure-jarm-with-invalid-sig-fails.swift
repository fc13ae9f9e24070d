// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("fapi2-security-profile-final-client-test-ensure-jarm-with-invalid-sig-fails")
struct JARMInvalidSignatureTests {
    @Test("Rejects a signed response with an altered signature", arguments: FAPIVariant.allCases)
    func response(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.signResponse = { try $1.signIncorrectly($0) } }
        try await provider.expectFAPIRefusal(.jwsSignature, responseMode: .jwt)
        #expect(provider.server.requests(to: "/token").isEmpty)
    }
}
