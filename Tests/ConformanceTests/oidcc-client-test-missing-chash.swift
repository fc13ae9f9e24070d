// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-missing-c_hash` in the older OpenID test suite.
@Suite("oidcc-client-test-missing-chash")
struct MissingCodeHashTests {
    @Test(
        "Rejects a hybrid response without c_hash before sending the code",
        .covers(94),
        arguments: [Variant.hybrid, .hybridByFormPost]
    )
    func missing(variant: Variant) async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["c_hash"] = nil } }
        let error = await #expect(throws: ProtocolViolationError.self) {
            try await provider.signIn([.openID], variant.options)
        }
        #expect(error?.rule == .idTokenHash)
        #expect(provider.server.requests(to: "/token").isEmpty)
    }
}
