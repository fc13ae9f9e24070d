// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import Testing

@Suite("fapi2-security-profile-final-client-test-valid-aud-as-array")
struct FAPIAudienceArrayTests {
    @Test(
        "With FAPI 2.0, accepts an ID token whose aud is an array with only the client",
        arguments: FAPIVariant.allCases
    )
    func audience(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) {
            $0.idToken = { $0["aud"] = [.string(ConformanceProvider.clientID)] }
        }
        let session = try await provider.signIn()
        #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
    }
}
