// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraTesting
internal import Testing

/// Has no counterpart in the older OpenID test suite.
@Suite("oidcc-client-test-refresh-token")
struct RefreshTokenTests {
    @Test("Calls the userinfo endpoint with a refreshed access token")
    func refresh() async throws {
        let provider = try ConformanceProvider()
        let session = try await provider.signIn()
        let first = try await session.accessToken()
        provider.clock.advance(by: .seconds(3_600))
        #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
        #expect(try await session.accessToken() != first)
        let grants = provider.server.requests(to: "/token").map { $0.formValue("grant_type") }
        #expect(grants == ["authorization_code", "refresh_token"])
    }
}
