// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// `rp-nonce-invalid` of the older suite.
@Suite("oidcc-client-test-nonce-invalid")
struct NonceInvalidTests {
    @Test("An ID token with another nonce, or none, is refused", .covers(92), arguments: ["another", nil])
    func nonce(_ nonce: String?) async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["nonce"] = nonce.map { .string($0) } } }
        try await provider.expectRefusal(.idTokenNonce)
    }
}
