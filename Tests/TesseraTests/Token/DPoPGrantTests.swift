// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
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
            ("device_authorization_endpoint", .string(issuer + "/device")), ("jwks_uri", .string(issuer + "/keys")),
            ("dpop_signing_alg_values_supported", ["ES256"]),
        ])
        return provider
    }

    /// Returns a response with an ID token and an access token of a type.
    private static func tokens(_ type: TokenType, _ network: ScriptedProvider) throws -> ScriptedResponse {
        let now = Int64(network.clock.date.timeIntervalSince1970)
        let idToken = try network.sign([
            JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)), JSONMember(name: "sub", value: "ada"),
            JSONMember(name: "aud", value: .string(ScriptedProvider.clientID)),
            JSONMember(name: "iat", value: .integer(now)), JSONMember(name: "exp", value: .integer(now + 60)),
        ])
        let type = type.rawValue
        return .json(#"{"access_token":"token","token_type":"\#(type)","expires_in":3600,"id_token":"\#(idToken)"}"#)
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

    /// A way to obtain tokens without a redirect to this program.
    enum Source: CaseIterable {
        case adoption, serverAuthCode

        func session(_ signIn: SignIn, _ options: SignInOptions) async throws -> OAuthSession {
            switch self {
            case .adoption:
                let credentials = ExistingCredentials(refreshToken: Secret("earlier"), scopes: ["a"])
                return try await signIn.adopt(credentials, options: options)
            case .serverAuthCode:
                return try await signIn.redeem(ServerAuthCode(Secret("4/code")), of: nil, options: options)
            }
        }
    }

    @Test(
        "Binds the tokens of adopted credentials and of an app's code to a key, and rejects a bearer token",
        .covers(68, 104),
        arguments: Source.allCases
    )
    func withoutRedirect(_ source: Source) async throws {
        let network = try ScriptedProvider()
        network.intercept("/token") { [network] _ in try Self.tokens(.dpop, network) }
        let store = InMemoryStore()
        let signIn = SignIn(try Self.provider(network), runtime: network.runtime, store: store)
        let options = SignInOptions()
        let session = try await source.session(signIn, options)
        let key = try #require(session.record.dpopKey?.thumbprint)
        #expect(network.requests("/token").map(\.provenKey) == [key])
        #expect(try await session.accessToken().type == .dpop)
        network.intercept("/token") { [network] _ in try Self.tokens(.bearer, network) }
        await #expect { try await source.session(signIn, options) } throws: {
            ProtocolViolationError.Rule.tokenType ~= $0
        }
        #expect(try await store.load(session.account)?.dpopKey?.thumbprint == key)
    }

    @Test("Requests the user of adopted credentials with a proof")
    func userInfo() async throws {
        let network = try ScriptedProvider()
        network.intercept("/token") { _ in .json(Self.bound) }
        network.intercept("/userinfo") { _ in .json(#"{"sub":"ada"}"#) }
        var provider = try Self.provider(network)
        let issuer = ScriptedProvider.issuer
        provider.metadata = try ServerMetadata([
            ("issuer", .string(issuer)), ("token_endpoint", .string(issuer + "/token")),
            ("userinfo_endpoint", .string(issuer + "/userinfo")), ("dpop_signing_alg_values_supported", ["ES256"]),
        ])
        let signIn = SignIn(provider, runtime: network.runtime, store: InMemoryStore())
        let session = try await Source.adoption.session(signIn, SignInOptions())
        #expect(session.account.subject == "ada")
        let request = try #require(network.requests("/userinfo").first)
        #expect(request.provenKey == session.record.dpopKey?.thumbprint)
        #expect(request.head.headerFields[.authorization] == "DPoP token")
    }
}
