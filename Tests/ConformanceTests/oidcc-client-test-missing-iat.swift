// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-iat` in the older OpenID test suite.
@Suite("oidcc-client-test-missing-iat")
struct MissingIssueTimeTests {
    @Test("Rejects an ID token without iat", .covers(91))
    func issuedAt() async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["iat"] = nil } }
        try await provider.expectRefusal(.jwtClaims)
    }
}
