// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-sub` in the older OpenID test suite.
@Suite("oidcc-client-test-missing-sub")
struct MissingSubjectTests {
    @Test("Rejects an ID token without sub", .covers(92))
    func subject() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["sub"] = nil } }
        try await provider.expectRefusal(.jwtClaims)
    }
}
