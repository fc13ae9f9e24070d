// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

/// `rp-id_token-sig-none` of the older suite.
///
/// A relying party that does not want unsigned tokens may refuse them, and this one does.
@Suite("oidcc-client-test-idtoken-sig-none")
struct SignatureNoneTests {
    @Test("An unsigned ID token is refused, though the metadata lists none", .covers(82), .shows(claims: 36))
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
