// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TestTraits
internal import Testing

/// Has no counterpart in the older OpenID test suite.
@Suite("oidcc-client-test-refresh-token-invalid-issuer")
struct RefreshTokenInvalidIssuerTests {
    @Test("A refreshed ID token from another issuer ends the session", .covers(95))
    func refused() async throws {
        let provider = try ConformanceProvider { $0.refreshedIDToken = { $0["iss"] = "https://evil.example" } }
        try await provider.expectRefreshRefusal()
    }
}
