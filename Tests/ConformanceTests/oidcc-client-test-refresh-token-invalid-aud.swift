// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TestTraits
internal import Testing

/// Has no counterpart in the older OpenID test suite.
@Suite("oidcc-client-test-refresh-token-invalid-aud")
struct RefreshTokenInvalidAudienceTests {
    @Test("A refreshed ID token for another client ends the session", .covers(95))
    func refused() async throws {
        let provider = try ConformanceProvider { $0.refreshedIDToken = { $0["aud"] = "other" } }
        try await provider.expectRefreshRefusal()
    }
}
