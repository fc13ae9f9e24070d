// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("DPoP in other grants")
struct DPoPGrantTests {
    private static let bound = #"{"access_token":"token","token_type":"DPoP","expires_in":3600}"#

    private static func provider(_ network: ScriptedProvider) throws -> Provider {
        let issuer = ScriptedProvider.issuer
        var provider = try network.provider
        provider.dpop = .required
        provider.metadata = try ServerMetadata([
            ("issuer", .string(issuer)), ("token_endpoint", .string(issuer + "/token")),
            ("device_authorization_endpoint", .string(issuer + "/device")),
            ("dpop_signing_alg_values_supported", ["ES256"]),
        ])
        return provider
    }

    @Test(
        "Binds all client credentials tokens to one key, and rejects a bearer token",
        .covers(68, 104)
    )
    func clientCredentials() async throws {
        let network = try ScriptedProvider()
        network.intercept("/token") { _ in .json(Self.bound) }
        let source = CredentialTokenSource.clientCredentials(try Self.provider(network), runtime: network.runtime)
        let token = try await source.accessToken()
        network.clock.advance(by: .seconds(3_600))
        _ = try await source.accessToken()
        #expect(token.type == .dpop)
        let key = try #require(token.dpop?.key.thumbprint)
        #expect(network.requests("/token").map(\.provenKey) == [key, key])
        network.clock.advance(by: .seconds(3_600))
        network.intercept("/token") { _ in .json(Self.bound.replacing("DPoP", with: "Bearer")) }
        await #expect { try await source.accessToken() } throws: { ProtocolViolationError.Rule.tokenType ~= $0 }
    }

    @Test(
        "Binds a device sign-in to a key, and sends nothing if the algorithm is unsupported",
        .covers(104, 105)
    )
    func device() async throws {
        let network = try ScriptedProvider()
        network.intercept("/device") { _ in
            .json(
                #"{"device_code":"d","user_code":"U","verification_uri":"https://id.example/go","expires_in":600}"#
            )
        }
        network.intercept("/token") { _ in .json(Self.bound) }
        var runtime = network.runtime
        runtime.clock = SelfAdvancingClock(moving: network.clock)
        var provider = try Self.provider(network)
        let options = SignInOptions.with { $0.identity = .caller { _ in "ada" } }
        func signIn() async throws -> OAuthSession {
            try await SignIn(provider, runtime: runtime, store: InMemoryStore(), userAgent: network.userAgent())
                .signInOnDevice(scopes: ["a"], options: options) { _ in }
        }
        let session = try await signIn()
        let key = try #require(session.record.dpopKey?.thumbprint)
        #expect(network.requests("/token").map(\.provenKey) == [key])
        let requests = network.requests.count
        provider.metadata = try ServerMetadata([
            ("issuer", .string(ScriptedProvider.issuer)),
            ("token_endpoint", .string(ScriptedProvider.issuer + "/token")),
            ("device_authorization_endpoint", .string(ScriptedProvider.issuer + "/device")),
            ("dpop_signing_alg_values_supported", ["RS256"]),
        ])
        await #expect { try await signIn() } throws: { ProtocolViolationError.Rule.dpopAlgorithm ~= $0 }
        #expect(network.requests.count == requests)
    }
}
