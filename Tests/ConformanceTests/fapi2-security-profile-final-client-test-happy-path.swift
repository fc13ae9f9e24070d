// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("fapi2-security-profile-final-client-test-happy-path")
struct FAPIHappyPathTests {
    @Test(
        "With FAPI 2.0, signs a user in with each permitted algorithm and response mode",
        arguments: FAPIVariant.allCases,
        [JWSAlgorithm.ps256, .es256, .edDSA]
    )
    func signIn(_ variant: FAPIVariant, _ algorithm: JWSAlgorithm) async throws {
        for mode in [ResponseMode.query, .jwt] {
            let provider = try ConformanceProvider(variant) {
                $0.algorithm = algorithm
                $0.dpopNonce = "nonce"
            }
            var options = SignInOptions()
            options.responseMode = mode
            let session = try await provider.signIn([.openID, .email], options)
            #expect(try await session.userInfo()["sub"]?.string == ProviderEndpoints.subject)
            #expect(provider.userAgent.parameters.map(\.name) == ["client_id", "request_uri"])
            // With DPoP, the first request to each endpoint only yields a nonce.
            for path in ["/par", "/token", "/userinfo"] {
                #expect(provider.server.requests(to: path).count == (variant.usesDPoP ? 2 : 1))
            }
        }
    }

    @Test("With FAPI 2.0, uses the aliases for certificates only if it has one", arguments: FAPIVariant.allCases)
    func aliases(_ variant: FAPIVariant) async throws {
        let provider = try ConformanceProvider(variant)
        let session = try await provider.signIn()
        _ = try await session.userInfo()
        let host = variant.usesCertificate ? GatewayTransport.certificateHost : GatewayTransport.host
        for path in ["/par", "/token", "/userinfo"] {
            #expect(provider.server.requests(to: path).map(\.gatewayHost) == [host])
        }
        #expect(provider.server.requests(to: "/authorize").map(\.gatewayHost) == [GatewayTransport.host])
    }
}
