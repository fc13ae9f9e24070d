// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// Corresponds to `rp-scope-userinfo-claims` in the older OpenID test suite.
@Suite("oidcc-client-test-scope-userinfo-claims")
struct ScopeClaimsTests {
    @Test("Requests claims with scopes and reads them at the userinfo endpoint")
    func claims() async throws {
        let provider = try ConformanceProvider { $0.userInfo = { $0["name"] = "Ada Lovelace" } }
        let session = try await provider.signIn([.openID, .profile, .email, "address", "phone"])
        let claims = try await session.userInfo()
        #expect(claims["email"]?.string == "ada@example.com")
        #expect(claims["name"]?.string == "Ada Lovelace")
        #expect(provider.userAgent.parameter("scope") == "openid profile email address phone")
    }
}
