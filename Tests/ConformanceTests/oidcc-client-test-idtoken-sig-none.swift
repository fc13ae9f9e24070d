// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-sig-none` in the older OpenID test suite.
///
/// The test permits a relying party to reject unsigned tokens, as Tessera does.
@Suite("oidcc-client-test-idtoken-sig-none")
struct SignatureNoneTests {
    @Test("Rejects an unsigned ID token even if the metadata lists none", .covers(82), .shows(claims: 36))
    func unsigned() async throws {
        let provider = try ConformanceProvider {
            $0.metadata = { $0["id_token_signing_alg_values_supported"] = ["RS256", "none"] }
            $0.sign = { claims, _ in
                Base64URL.encode(#"{"alg":"none"}"#.utf8) + "." + Base64URL.encode(claims) + "."
            }
        }
        try await provider.expectRefusal(.jwsAlgorithm)
    }
}
