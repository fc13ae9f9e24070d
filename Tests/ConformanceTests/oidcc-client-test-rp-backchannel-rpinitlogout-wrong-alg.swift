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
@Suite("oidcc-client-test-rp-backchannel-rpinitlogout-wrong-alg")
struct BackChannelLogoutWrongAlgorithmTests {
    @Test("Rejects a logout token with an unregistered algorithm", .covers(83))
    func refused() async throws {
        let provider = try ConformanceProvider()
        let error = await #expect(throws: ProtocolViolationError.self) {
            let key = JWSMACKey(secret: Array(ConformanceProvider.clientSecret.utf8))
            try await provider.backChannelLogout(sign: { claims, _ in key.sign(payload: claims, type: "logout+jwt") })
        }
        #expect(error?.rule == .jwsAlgorithm)
    }
}
