// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraTesting
internal import Testing

@Suite("fapi2-security-profile-final-client-refresh-token-test")
struct FAPIRefreshTests {
    @Test("With FAPI 2.0, uses each rotated refresh token once", arguments: FAPIVariant.allCases)
    func refresh(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant)
        let session = try await provider.signIn()
        for _ in 0..<2 {
            provider.clock.advance(by: .seconds(3_600))
            #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
        }
        let sent = provider.server.requests(to: "/token").compactMap { $0.formValue("refresh_token") }
        #expect(sent.count == 2)
        #expect(Set(sent).count == 2)
    }
}
