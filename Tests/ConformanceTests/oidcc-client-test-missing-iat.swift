// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// `rp-id_token-iat` of the older suite.
@Suite("oidcc-client-test-missing-iat")
struct MissingIssueTimeTests {
    @Test("An ID token without iat is refused", .covers(91))
    func issuedAt() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["iat"] = nil } }
        try await provider.expectRefusal(.jwtClaims)
    }
}
