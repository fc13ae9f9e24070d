// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// Corresponds to `rp-nonce-invalid` in the older OpenID test suite.
@Suite("oidcc-client-test-nonce-invalid")
struct NonceInvalidTests {
    @Test("Rejects an ID token with another nonce or without one", .covers(92), arguments: ["another", nil])
    func nonce(_ nonce: String?) async throws {
        let provider = try ConformanceProvider { $0.idToken = { $0["nonce"] = nonce.map { .string($0) } } }
        try await provider.expectRefusal(.idTokenNonce)
    }
}
