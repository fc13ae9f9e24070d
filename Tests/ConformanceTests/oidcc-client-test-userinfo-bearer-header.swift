// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Corresponds to `rp-userinfo-bearer-header` in the older OpenID test suite.
///
/// `oidcc-client-test-userinfo-bearer-body` has no test, because Tessera sends the token only in the header.
@Suite("oidcc-client-test-userinfo-bearer-header")
struct UserInfoBearerHeaderTests {
    @Test("Sends the access token only in the Authorization header", .covers(120), .shows(claims: 32))
    func header() async throws {
        let provider = try ConformanceProvider()
        _ = try await provider.signIn().userInfo()
        let request = try #require(provider.server.requests(to: "/userinfo").first)
        #expect(request.head.headerFields[.authorization]?.hasPrefix("Bearer access-") == true)
        #expect(request.query.isEmpty)
        #expect(request.body.isEmpty)
    }
}
