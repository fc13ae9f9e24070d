// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import Testing

/// Has no counterpart in the older OpenID test suite.
@Suite("oidcc-client-test-ignores-unparseable-key-in-jwks")
struct UnparseableKeyTests {
    @Test("Ignores unreadable keys in a key set")
    func ignored() async throws {
        let provider = try ConformanceProvider {
            $0.keys = { key in
                [
                    ["kty": "AKP", "alg": "ML-DSA-999", "kid": "later", "pub": "AAAA"],
                    ["kty": "made-up", "kid": "unknown"], key,
                ]
            }
        }
        #expect(try await provider.signIn().account.subject == ProviderEndpoints.subject)
    }
}
