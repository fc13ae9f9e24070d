// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// Has no counterpart in the older OpenID test suite.
@Suite("oidcc-client-test-missing-aud")
struct MissingAudienceTests {
    @Test("Rejects an ID token without aud", .covers(90))
    func audience() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["aud"] = nil } }
        try await provider.expectRefusal(.jwtClaims)
    }
}
