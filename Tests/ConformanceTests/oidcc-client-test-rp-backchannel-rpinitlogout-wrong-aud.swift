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
@Suite("oidcc-client-test-rp-backchannel-rpinitlogout-wrong-aud")
struct BackChannelLogoutWrongAudienceTests {
    @Test("Rejects a logout token for another client", .covers(90))
    func refused() async throws {
        let provider = try ConformanceProvider()
        let error = await #expect(throws: ProtocolViolationError.self) {
            try await provider.backChannelLogout { $0["aud"] = "other" }
        }
        #expect(error?.rule == .jwtAudience)
    }
}
