// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// `rp-userinfo-bearer-header` of the older suite.
///
/// Its sister `oidcc-client-test-userinfo-bearer-body` has no test: the token goes nowhere but into the header.
@Suite("oidcc-client-test-userinfo-bearer-header")
struct UserInfoBearerHeaderTests {
    @Test("The access token goes in the Authorization header, and nowhere else", .covers(120), .shows(claims: 32))
    func header() async throws {
        let provider = try ConformanceProvider()
        _ = try await provider.signIn().userInfo()
        let request = try #require(provider.server.requests(to: "/userinfo").first)
        #expect(request.head.headerFields[.authorization]?.hasPrefix("Bearer access-") == true)
        #expect(request.query.isEmpty)
        #expect(request.body.isEmpty)
    }
}
