// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON
internal import TestTraits
internal import Testing

/// Has no counterpart in the older OpenID test suite.
@Suite("oidcc-client-test-refresh-token-invalid-sub")
struct RefreshTokenInvalidSubjectTests {
    @Test("A refreshed ID token of another user ends the session", .covers(95))
    func refused() async throws {
        let provider = try ConformanceProvider { $0.refreshedIDToken = { $0["sub"] = "other" } }
        try await provider.expectRefreshRefusal()
    }
}
