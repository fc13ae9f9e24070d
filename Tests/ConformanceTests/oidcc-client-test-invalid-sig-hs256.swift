// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

/// `rp-id_token-bad-sig-hs256` of the older suite: no HMAC is accepted here, right or wrong.
@Suite("oidcc-client-test-invalid-sig-hs256")
struct InvalidSignatureHS256Tests {
    @Test("An ID token authenticated with HS256 is refused, even by the client's own secret", .covers(83))
    func mac() async throws {
        let provider = try ConformanceProvider {
            $0.sign = { claims, _ in
                JWSMACKey(secret: Array(ConformanceProvider.clientSecret.utf8)).sign(payload: claims, type: "JWT")
            }
        }
        try await provider.expectRefusal(.jwsAlgorithm)
    }
}
