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

@Suite("A sign-in on another device")
struct DeviceSignInTests {
    /// A provider with a device authorization endpoint, and a program on a clock that nobody has to move.
    private struct Home {
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
            runtime.clock = ImpatientClock(moving: network.clock)
            self.signIn = SignIn(provider, runtime: runtime, store: self.store, userAgent: network.userAgent())
            network.intercept("/device") { _ in
                .json(
                    #"{"device_code":"secret-device","user_code":"WDJB","verification_uri":"https://id.example/go","#
                        + #""expires_in":600,"interval":5}"#
                )
            }
        }

        /// After so many questions the person has decided: tokens with these claims in the ID token.
        func decide(after count: Int, _ change: [JSONMember] = [], hasIDToken: Bool = true) {
            let asked = Mutex(0)
            self.network.intercept("/token") { [network] request in
                guard request.formValue("grant_type") != "refresh_token" else { return nil }
                let number = asked.withLock { asked in
                    asked += 1
                    return asked
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
            _ scopes: [Scope] = [.openID, .email, World.drive],
            _ options: SignInOptions = SignInOptions()
        ) async throws -> OAuthSession {
            try await self.signIn.signInOnDevice(scopes: scopes, options: options) { authorization in
                #expect(authorization.userCode == "WDJB")
            }
        }
    }

    @Test("Shows the code, waits for the decision, and gives a saved session with what was granted", .covers(106, 115))
    func signIn() async throws {
        let home = try Home()
        home.decide(after: 2)
        home.store.before(.probe) { #expect(home.network.requests.isEmpty) }
        home.store.before(.save) { #expect(home.network.requests("/token").count == 3) }
        let session = try await home.session()
        #expect(session.account == Account(issuer: ScriptedProvider.issuer, clientID: "test-client", subject: "ada"))
        #expect(session.grantedScopes == [.openID, .email])
        #expect(session.grant.missing == [World.drive])
        #expect(session.identity.email == "ada@example.com")
        #expect(home.store.journal == [.probe, .update, .entryLoad, .save])
        #expect(try await home.store.load(session.account) == session.record)
        #expect(home.network.clock.now.offset == .seconds(15))
        #expect(try await session.accessToken().text == "secret-access")
        #expect(try await home.signIn.restore()?.account == session.account)
        // From before the last question on: nothing of the time that the person took counts.
        #expect(session.record.tokens?.obtainedAt.timeIntervalSince1970 == 1_700_000_015)
    }

    @Test("An ID token with a nonce that nobody sent is refused, and nothing is saved")
    func nonce() async throws {
        let home = try Home()
        home.decide(after: 0, [JSONMember(name: "nonce", value: "n")])
        await #expect { try await home.session() } throws: { ProtocolViolationError.Rule.idTokenNonce ~= $0 }
        #expect(home.store.count(.save) == 0)
    }

    @Test("Without an ID token, or without openid, nobody knows who it is")
    func anonymous() async throws {
        let home = try Home()
        home.decide(after: 0, hasIDToken: false)
        await #expect { try await home.session() } throws: { ProtocolViolationError.Rule.idTokenMissing ~= $0 }
        let questions = home.network.requests.count
        await #expect(throws: InvalidRequestError.self) { try await home.session([.email]) }
        #expect(home.network.requests.count == questions)
        #expect(home.store.count(.save) == 0)
        var options = SignInOptions()
        options.identity = .caller { _ in "user-7" }
        #expect(try await home.session([.email], options).account.subject == "user-7")
    }

    @Test("A store that cannot keep a session is told before the person is asked")
    func brokenStore() async throws {
        let home = try Home()
        home.store.fail(.probe, .full)
        await #expect(throws: StoreError(.full, place: "test")) { try await home.session() }
        #expect(home.network.requests.isEmpty)
    }

    @Test(
        "A no and a code that has expired are errors, and nothing is saved",
        .covers(109),
        arguments: ["access_denied", "expired_token"]
    )
    func refusal(_ code: String) async throws {
        let home = try Home()
        home.network.intercept("/token") { _ in .json(#"{"error":"\#(code)"}"#, status: .badRequest) }
        await #expect { try await home.session() } throws: { ($0 as? OAuthError)?.code.rawValue == code }
        #expect(home.network.requests("/token").count == 1)
        #expect(home.store.count(.save) == 0)
    }

    @Test("Given up while a question is under way, it saves nothing, even if the answer is yes", .covers(111))
    func cancelled() async throws {
        let home = try Home()
        let gate = Gate()
        home.network.intercept("/token") { _ in
            await gate.pass()
            return .json(#"{"access_token":"secret-access","token_type":"Bearer"}"#)
        }
        let task = Task { try await home.session() }
        await gate.arrival()
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(home.network.requests("/token").count == 1)
        #expect(home.store.count(.save) == 0)
    }

    @Test("What shows the code may refuse, and then nothing is asked")
    func unpresented() async throws {
        let home = try Home()
        await #expect(throws: SignInError(.givenUp)) {
            try await home.signIn.signInOnDevice(scopes: [.openID]) { _ in throw SignInError(.givenUp) }
        }
        #expect(home.network.requests("/token").isEmpty)
    }
}
