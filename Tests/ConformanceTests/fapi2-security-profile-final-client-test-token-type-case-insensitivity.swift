// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import Testing

@Suite("fapi2-security-profile-final-client-test-token-type-case-insensitivity")
struct FAPITokenTypeCaseTests {
    @Test("With FAPI 2.0, ignores the case of token_type", arguments: FAPIVariant.allCases)
    func tokenType(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) {
            $0.tokenResponse = { $0["token_type"] = variant.usesDPoP ? "dpOp" : "bEaRer" }
        }
        let session = try await provider.signIn()
        #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
    }
}
