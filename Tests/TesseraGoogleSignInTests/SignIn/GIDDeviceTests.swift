// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraGoogleSignIn
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("GIDSignIn on another device")
struct GIDDeviceTests {
    private static func google(_ network: ScriptedProvider, hostedDomain: String? = nil) throws -> GIDSignIn {
        var provider = try network.provider
        let issuer = ScriptedProvider.issuer
        provider.metadata = try ServerMetadata([
            ("issuer", .string(issuer)), ("token_endpoint", .string(issuer + "/token")),
            ("device_authorization_endpoint", .string(issuer + "/device")), ("jwks_uri", .string(issuer + "/keys")),
            ("token_endpoint_auth_methods_supported", ["client_secret_post"]),
        ])
        network.intercept("/device") { _ in
            .json(
                #"{"device_code":"d","user_code":"WDJB","verification_uri":"https://id.example/go","#
                    + #""expires_in":600,"interval":5}"#
            )
        }
        var runtime = network.runtime
        runtime.clock = SelfAdvancingClock(moving: network.clock)
        let signIn = SignIn(
            provider,
            runtime: runtime,
            store: InMemoryStore(),
            userAgent: network.userAgent()
        )
        let configuration = hostedDomain.map {
            GIDConfiguration(clientID: ScriptedProvider.clientID, hostedDomain: $0)
        }
        return GIDSignIn(signIn: signIn, configuration: configuration)
    }

    /// Simulates the user's consent.
    private static func consent(_ network: ScriptedProvider) {
        network.intercept("/token") { [network] _ in
            let now = Int64(network.clock.date.timeIntervalSince1970)
            let idToken = try network.sign([
                JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)),
                JSONMember(name: "sub", value: "ada"), JSONMember(name: "aud", value: "test-client"),
                JSONMember(name: "iat", value: .integer(now)), JSONMember(name: "exp", value: .integer(now + 60)),
                JSONMember(name: "email", value: "ada@example.com"), JSONMember(name: "name", value: "Ada"),
                JSONMember(name: "given_name", value: "Ada"),
                JSONMember(name: "picture", value: "https://id.example/p"),
            ])
            return .json(
                #"{"access_token":"a","token_type":"Bearer","expires_in":3600,"refresh_token":"r","scope":"openid "#
                    + #"email profile","id_token":"\#(idToken)"}"#
            )
        }
    }

    @Test("Rejects an account of another domain on another device")
    func hostedDomain() async throws {
        let network = try ScriptedProvider()
        let google = try Self.google(network, hostedDomain: "corp.example")
        Self.consent(network)
        #expect(await code { try await google.signInOnDevice { _ in } } == .hostedDomainMismatch)
        #expect(google.currentUser == nil)
        #expect(!google.hasPreviousSignIn())
    }

    @Test("Makes the user who consents on another device the current user")
    func consent() async throws {
        let network = try ScriptedProvider()
        let google = try Self.google(network)
        Self.consent(network)
        let shown = Mutex<String?>(nil)
        let result = try await google.signInOnDevice { authorization in
            shown.withLock { $0 = authorization.userCode }
        }
        #expect(shown.withLock { $0 } == "WDJB")
        #expect(result.user.profile?.email == "ada@example.com")
        #expect(result.serverAuthCode == nil)
        #expect(google.currentUser === result.user)
    }
}
