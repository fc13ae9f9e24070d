// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Has no counterpart in the older suite.
@Suite("oidcc-client-test-rp-backchannel-rpinitlogout-wrong-iss")
struct BackChannelLogoutWrongIssuerTests {
    @Test("A logout token of another issuer is refused", .covers(89))
    func refused() async throws {
        let provider = try ConformanceProvider()
        let error = await #expect(throws: ProtocolViolationError.self) {
            try await provider.backChannelLogout { $0["iss"] = "https://evil.example" }
        }
        #expect(error?.rule == .jwtIssuer)
    }
}
