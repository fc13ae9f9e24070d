// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TestTraits
internal import Testing

/// `rp-id_token-kid-absent-single-jwks` of the older suite.
@Suite("oidcc-client-test-kid-absent-single-jwks")
struct KeyIDAbsentSingleKeyTests {
    @Test("Without kid the only fitting key is taken", .covers(87))
    func single() async throws {
        let provider = try ConformanceProvider {
            $0.sign = { try $1.sign(payload: $0, headerText: #"{"alg":"RS256"}"#) }
            $0.keys = { [$0.with("kid")] }
        }
        #expect(try await provider.signIn().account.subject == ProviderEndpoints.subject)
    }
}
