// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// Has no counterpart in the older OpenID test suite.
@Suite("oidcc-client-test-rp-backchannel-rpinitlogout-with-nonce")
struct BackChannelLogoutWithNonceTests {
    @Test("Rejects a logout token with a nonce")
    func refused() async throws {
        let provider = try ConformanceProvider()
        let error = await #expect(throws: ProtocolViolationError.self) {
            try await provider.backChannelLogout { $0["nonce"] = "nonce" }
        }
        #expect(error?.rule == .logoutToken)
    }
}
