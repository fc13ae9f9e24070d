// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// Has no counterpart in the older OpenID test suite.
@Suite("oidcc-client-test-rp-backchannel-rpinitlogout")
struct BackChannelLogoutTests {
    @Test("Accepts a valid logout token and returns its subject")
    func logout() async throws {
        let provider = try ConformanceProvider()
        #expect(try await provider.backChannelLogout().subject == ProviderEndpoints.subject)
    }
}
