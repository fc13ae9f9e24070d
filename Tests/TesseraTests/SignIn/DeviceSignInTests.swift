// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Device sign-in")
struct DeviceSignInTests {
    /// A sign-in with a self-advancing clock, and a provider with a device authorization endpoint.
    private struct DeviceEnvironment {
        let network: ScriptedProvider
        let store = WatchedStore(InMemoryStore())
        let signIn: SignIn

        init() throws {
            let network = try ScriptedProvider()
            self.network = network
            var provider = try network.provider
            let issuer = ScriptedProvider.issuer
            provider.metadata = try ServerMetadata([
                ("issuer", .string(issuer)), ("token_endpoint", .string(issuer + "/token")),
                ("device_authorization_endpoint", .string(issuer + "/device")), ("jwks_uri", .string(issuer + "/keys")),
                ("token_endpoint_auth_methods_supported", ["client_secret_post"]),
            ])
            var runtime = network.runtime
            runtime.clock = SelfAdvancingClock(moving: network.clock)
            self.signIn = SignIn(provider, runtime: runtime, store: self.store, userAgent: network.userAgent())
            network.intercept("/device") { _ in
                .json(
                    #"{"device_code":"secret-device","user_code":"WDJB","verification_uri":"https://id.example/go","#
                        + #""expires_in":600,"interval":5}"#
                )
            }
        }

        /// Approves the sign-in after `count` polling requests, with these claims in the ID token.
        func decide(after count: Int, _ change: [JSONMember] = [], hasIDToken: Bool = true) {
            let polls = Mutex(0)
            self.network.intercept("/token") { [network] request in
                guard request.formValue("grant_type") != "refresh_token" else { return nil }
                let number = polls.withLock { polls in
                    polls += 1
                    return polls
                }
                guard number > count else {
                    return .json(#"{"error":"authorization_pending"}"#, status: .badRequest)
                }
                let now = Int64(network.clock.date.timeIntervalSince1970)
                let claims: [JSONMember] = [
                    JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)),
                    JSONMember(name: "sub", value: "ada"), JSONMember(name: "aud", value: "test-client"),
                    JSONMember(name: "iat", value: .integer(now)), JSONMember(name: "exp", value: .integer(now + 60)),
                    JSONMember(name: "email", value: "ada@example.com"),
                ]
                let idToken = try network.sign(claims + change)
                return .json(
                    JSONNode.object(
                        [
                            JSONMember(name: "access_token", value: "secret-access"),
                            JSONMember(name: "token_type", value: "Bearer"),
                            JSONMember(name: "expires_in", value: 3_600),
                            JSONMember(name: "refresh_token", value: "secret-refresh"),
                            JSONMember(name: "scope", value: "openid email"),
                        ] + (hasIDToken ? [JSONMember(name: "id_token", value: .string(idToken))] : [])
                    )
                    .text()
                )
            }
        }

        func session(
            _ scopes: [Scope] = [.openID, .email, TestEnvironment.drive],
            _ options: SignInOptions = SignInOptions()
        ) async throws -> OAuthSession {
            try await self.signIn.signInOnDevice(scopes: scopes, options: options) { authorization in
                #expect(authorization.userCode == "WDJB")
            }
        }
    }

    @Test("Shows the code, polls until the user decides, and saves the session", .covers(106, 115))
    func signIn() async throws {
        let environment = try DeviceEnvironment()
        environment.decide(after: 2)
        environment.store.before(.probe) { #expect(environment.network.requests.isEmpty) }
        environment.store.before(.save) { #expect(environment.network.requests("/token").count == 3) }
        let session = try await environment.session()
        #expect(session.account == Account(issuer: ScriptedProvider.issuer, clientID: "test-client", subject: "ada"))
        #expect(session.grantedScopes.granted == [.openID, .email])
        #expect(session.grantedScopes.missing == [TestEnvironment.drive])
        #expect(session.identity.email == "ada@example.com")
        #expect(environment.store.journal == [.probe, .update, .entryLoad, .save])
        #expect(try await environment.store.load(session.account) == session.record)
        #expect(environment.network.clock.now.offset == .seconds(15))
        #expect(try await session.accessToken().text == "secret-access")
        #expect(try await environment.signIn.restore()?.account == session.account)
        // The lifetime begins before the last polling request, not when the user received the code.
        #expect(session.record.tokens?.obtainedAt.timeIntervalSince1970 == 1_700_000_015)
    }

    @Test("Rejects an ID token with an unexpected nonce, and saves nothing")
    func nonce() async throws {
        let environment = try DeviceEnvironment()
        environment.decide(after: 0, [JSONMember(name: "nonce", value: "n")])
        await #expect { try await environment.session() } throws: { ProtocolViolationError.Rule.idTokenNonce ~= $0 }
        #expect(environment.store.count(.save) == 0)
    }

    @Test("Requires an ID token or an identity from the caller")
    func anonymous() async throws {
        let environment = try DeviceEnvironment()
        environment.decide(after: 0, hasIDToken: false)
        await #expect { try await environment.session() } throws: { ProtocolViolationError.Rule.idTokenMissing ~= $0 }
        let requests = environment.network.requests.count
        await #expect(throws: InvalidRequestError.self) { try await environment.session([.email]) }
        #expect(environment.network.requests.count == requests)
        #expect(environment.store.count(.save) == 0)
        var options = SignInOptions()
        options.identity = .caller { _ in "user-7" }
        #expect(try await environment.session([.email], options).account.subject == "user-7")
    }

    @Test("Fails before it requests a code if the store is unusable")
    func brokenStore() async throws {
        let environment = try DeviceEnvironment()
        environment.store.fail(.probe, .full)
        await #expect(throws: StoreError(.full, location: "test")) { try await environment.session() }
        #expect(environment.network.requests.isEmpty)
    }

    @Test(
        "Fails and saves nothing if the user denies access or the code expires",
        .covers(109),
        arguments: ["access_denied", "expired_token"]
    )
    func refusal(_ code: String) async throws {
        let environment = try DeviceEnvironment()
        environment.network.intercept("/token") { _ in .json(#"{"error":"\#(code)"}"#, status: .badRequest) }
        await #expect { try await environment.session() } throws: { ($0 as? OAuthError)?.code.rawValue == code }
        #expect(environment.network.requests("/token").count == 1)
        #expect(environment.store.count(.save) == 0)
    }

    @Test("Saves nothing if canceled during a polling request that succeeds", .covers(111))
    func cancelled() async throws {
        let environment = try DeviceEnvironment()
        let gate = Gate()
        environment.network.intercept("/token") { _ in
            await gate.pass()
            return .json(#"{"access_token":"secret-access","token_type":"Bearer"}"#)
        }
        let task = Task { try await environment.session() }
        await gate.waitForArrival()
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(environment.network.requests("/token").count == 1)
        #expect(environment.store.count(.save) == 0)
    }

    @Test("Does not poll if the code cannot be shown")
    func unpresented() async throws {
        let environment = try DeviceEnvironment()
        await #expect(throws: SignInError(.canceled)) {
            try await environment.signIn.signInOnDevice(scopes: [.openID]) { _ in throw SignInError(.canceled) }
        }
        #expect(environment.network.requests("/token").isEmpty)
    }

    @Test(
        "Saves a session only if the ID token fulfills the essential claims",
        arguments: [
            ("acr", ProtocolViolationError.Rule.idTokenAuthenticationContext),
            ("auth_time", .idTokenAuthenticationTime),
        ]
    )
    func essentialClaims(claim: String, rule: ProtocolViolationError.Rule) async throws {
        let environment = try DeviceEnvironment()
        let values: [JSONNode] = claim == "acr" ? ["gold"] : []
        let options = SignInOptions.with {
            $0.claims = ClaimsRequest(idToken: [claim: ClaimsRequest.Claim(isEssential: true, values: values)])
        }
        environment.decide(after: 0, [JSONMember(name: "acr", value: "silver")])
        await #expect { try await environment.session([.openID], options) } throws: { rule ~= $0 }
        #expect(environment.store.count(.save) == 0)
        let now = Int64(environment.network.clock.date.timeIntervalSince1970)
        environment.decide(
            after: 0,
            [JSONMember(name: "acr", value: "gold"), JSONMember(name: "auth_time", value: .integer(now))]
        )
        #expect(try await environment.session([.openID], options).account.subject == "ada")
    }

    @Test("Requests the tokens for the resources that the session records")
    func resources() async throws {
        let environment = try DeviceEnvironment()
        environment.decide(after: 1)
        let options = SignInOptions.with { $0.resources = ["https://api.example"] }
        let session = try await environment.session([.openID], options)
        #expect(session.record.resources == options.resources)
        let requests = environment.network.requests("/device") + environment.network.requests("/token")
        #expect(requests.map { $0.formValue("resource") } == Array(repeating: "https://api.example", count: 3))
    }
}
