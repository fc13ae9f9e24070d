// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-kid-absent-multiple-jwks` in the older OpenID test suite.
///
/// The test permits a relying party to reject the token or to try every key. Tessera rejects it, because the intended
/// key is unknown.
@Suite("oidcc-client-test-kid-absent-multiple-jwks")
struct KeyIDAbsentMultipleKeysTests {
    @Test("Rejects an ID token without kid if several keys match", .covers(87))
    func multiple() async throws {
        let other = try JWSSigningKey.generate(.rs256).publicJWK
        let provider = try ConformanceProvider {
            $0.sign = { try $1.sign(payload: $0, headerText: #"{"alg":"RS256"}"#) }
            $0.keys = { [$0.with("kid"), other.with("kid")] }
        }
        try await provider.expectRefusal(.signingKey)
    }
}
