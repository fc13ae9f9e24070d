// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraTesting
internal import Testing

@Suite("fapi2-security-profile-final-client-test-happy-path-no-mtls-endpoint-aliases")
struct FAPIWithoutAliasesTests {
    @Test(
        "With FAPI 2.0, uses the endpoints of a provider without aliases for certificates",
        arguments: FAPIVariant.allCases
    )
    func signIn(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant) {
            $0.metadata = { metadata in
                guard case .object(let aliases) = metadata["mtls_endpoint_aliases"] else { return }
                metadata["mtls_endpoint_aliases"] = nil
                for alias in aliases { metadata[alias.name] = alias.value }
            }
        }
        let session = try await provider.signIn()
        #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
    }
}
