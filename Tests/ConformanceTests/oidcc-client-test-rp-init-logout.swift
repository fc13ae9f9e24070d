// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Has no counterpart in the older OpenID test suite.
@Suite("oidcc-client-test-rp-init-logout")
struct RPInitiatedLogoutTests {
    @Test("A user who signs out at the provider returns with the state of the request", .covers(122))
    func logout() async throws {
        let provider = try ConformanceProvider()
        #expect(try await provider.logout() == nil)
        let request = try #require(provider.server.requests(to: "/logout").first)
        #expect(request.query.map(\.name) == ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"])
    }
}
