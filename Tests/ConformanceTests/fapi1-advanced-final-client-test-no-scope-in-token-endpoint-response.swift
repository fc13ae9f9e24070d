// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

/// The plan of FAPI 1.0 has this module, and the plans of FAPI 2.0 do not.
@Suite("fapi1-advanced-final-client-test-no-scope-in-token-endpoint-response")
struct FAPIUnlistedScopesTests {
    @Test(
        "With FAPI 2.0, assumes the requested scopes if the token response lists none",
        arguments: FAPIVariant.allCases
    )
    func scopes(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) { $0.tokenResponse = { $0["scope"] = nil } }
        let session = try await provider.signIn([.openID, .email])
        #expect(session.grantedScopes.granted == [.openID, .email])
        #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
    }
}
