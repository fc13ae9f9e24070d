// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

/// Corresponds to `rp-id_token-kid-absent-single-jwks` in the older OpenID test suite.
@Suite("oidcc-client-test-kid-absent-single-jwks")
struct KeyIDAbsentSingleKeyTests {
    @Test("Verifies an ID token without kid if only one key matches", .covers(87))
    func single() async throws {
        let provider = try ConformanceProvider {
            $0.sign = { try $1.sign(payload: $0, headerText: #"{"alg":"RS256"}"#) }
            $0.keys = { [$0.with("kid")] }
        }
        #expect(try await provider.signIn().account.subject == ProviderEndpoints.subject)
    }
}
