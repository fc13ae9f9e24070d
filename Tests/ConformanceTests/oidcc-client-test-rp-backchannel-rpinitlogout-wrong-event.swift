// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// Has no counterpart in the older OpenID test suite.
@Suite("oidcc-client-test-rp-backchannel-rpinitlogout-wrong-event")
struct BackChannelLogoutWrongEventTests {
    @Test("Rejects a logout token with another event")
    func refused() async throws {
        let provider = try ConformanceProvider()
        let error = await #expect(throws: ProtocolViolationError.self) {
            try await provider.backChannelLogout { $0["events"] = ["https://example.com/other": [:]] }
        }
        #expect(error?.rule == .logoutToken)
    }
}
