// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TestTraits
internal import Testing

/// Has no counterpart in the older OpenID test suite.
@Suite("oidcc-client-test-refresh-token-invalid-azp")
struct RefreshTokenInvalidAuthorizedPartyTests {
    @Test("A refreshed ID token with an azp of another client ends the session", .covers(95))
    func refused() async throws {
        let provider = try ConformanceProvider { $0.refreshedIDToken = { $0["azp"] = "other" } }
        try await provider.expectRefreshRefusal()
    }
}
