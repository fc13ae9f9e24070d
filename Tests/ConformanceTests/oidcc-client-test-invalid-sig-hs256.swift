// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-bad-sig-hs256` in the older OpenID test suite.
///
/// Tessera rejects every HMAC, valid or not.
@Suite("oidcc-client-test-invalid-sig-hs256")
struct InvalidSignatureHS256Tests {
    @Test("Rejects an HS256 ID token even if it is authenticated with the client's secret", .covers(83))
    func mac() async throws {
        let provider = try ConformanceProvider {
            $0.sign = { claims, _ in
                JWSMACKey(secret: Array(ConformanceProvider.clientSecret.utf8)).sign(payload: claims, type: "JWT")
            }
        }
        try await provider.expectRefusal(.jwsAlgorithm)
    }
}
