// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// `rp-id_token-sub` of the older suite.
@Suite("oidcc-client-test-missing-sub")
struct MissingSubjectTests {
    @Test("An ID token without sub is refused", .covers(92))
    func subject() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["sub"] = nil } }
        try await provider.expectRefusal(.jwtClaims)
    }
}
