// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// `rp-id_token-kid-absent-multiple-jwks` of the older suite.
///
/// A relying party may refuse, or try every key. This one refuses: it cannot tell which key was meant.
@Suite("oidcc-client-test-kid-absent-multiple-jwks")
struct KeyIDAbsentMultipleKeysTests {
    @Test("Without kid among several fitting keys the ID token is refused", .covers(87))
    func multiple() async throws {
        let other = try JWSSigningKey.generate(.rs256).publicJWK
        let provider = try ConformanceProvider {
            $0.sign = { try $1.sign(payload: $0, headerText: #"{"alg":"RS256"}"#) }
            $0.keys = { [$0.with("kid"), other.with("kid")] }
        }
        try await provider.expectRefusal(.signingKey)
    }
}
