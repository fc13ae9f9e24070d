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
@Suite("oidcc-client-test-rp-backchannel-rpinitlogout-alg-none")
struct BackChannelLogoutUnsignedTests {
    @Test("Rejects an unsigned logout token", .covers(82), .shows(claims: 36))
    func refused() async throws {
        let provider = try ConformanceProvider()
        let error = await #expect(throws: ProtocolViolationError.self) {
            try await provider.backChannelLogout(sign: { claims, _ in
                Base64URL.encode(#"{"alg":"none"}"#.utf8) + "." + Base64URL.encode(claims) + "."
            })
        }
        #expect(error?.rule == .jwsAlgorithm)
    }
}
