// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraTesting
internal import Testing

@Suite("fapi2-security-profile-final-client-test-ensure-authorization-response-with-invalid-state-fails")
struct FAPIInvalidStateTests {
    @Test("With FAPI 2.0, ignores an authorization response with another state", arguments: FAPIVariant.allCases)
    func state(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.authorizationResponse = { $0["state"] = "another" } }
        await #expect(throws: SignInError(.timedOut)) { try await provider.signIn() }
        #expect(provider.userAgent.reasons.count == 1)
        #expect(provider.server.requests(to: "/token").isEmpty)
    }
}
