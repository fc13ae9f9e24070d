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
internal import Testing

@Suite("Server auth codes")
struct ServerAuthCodeTests {
    private static let app = "the-app"

    /// Makes the token endpoint issue these tokens to a backend for the code.
    private static func backend(
        _ environment: TestEnvironment,
        subject: String = "ada",
        refreshToken: String? = "secret-refresh-of-the-backend",
        waitingAt gate: Gate? = nil,
        change: @escaping @Sendable ([String: JSONNode]) -> [String: JSONNode] = { $0 }
    ) throws {
        let network = environment.network
        environment.tokenEndpoint { request in
            guard request.formValue("grant_type") == "authorization_code" else { return nil }
            await gate?.pass()
            guard request.formValue("code") == "4/code", request.formValue("redirect_uri") == "",
                request.formValue("code_verifier") == nil
            else { return .json(#"{"error":"invalid_grant"}"#, status: .badRequest) }
            let idToken = try Self.idToken(network, subject: subject, party: ScriptedProvider.clientID, change)
            var members: [JSONMember] = [
                JSONMember(name: "access_token", value: "secret-access-of-the-backend"),
                JSONMember(name: "token_type", value: "Bearer"), JSONMember(name: "expires_in", value: .integer(3_600)),
                JSONMember(name: "scope", value: "openid email https://api.example/drive"),
                JSONMember(name: "id_token", value: .string(idToken)),
            ]
            if let refreshToken { members.append(JSONMember(name: "refresh_token", value: .string(refreshToken))) }
            return .json(JSONNode.object(members).text())
        }
    }

    private static func idToken(
        _ network: ScriptedProvider,
        subject: String = "ada",
        party: String = ServerAuthCodeTests.app,
        _ change: ([String: JSONNode]) -> [String: JSONNode] = { $0 }
    ) throws -> String {
        let now = Int64(network.clock.date.timeIntervalSince1970)
        let claims = change([
            "iss": .string(ScriptedProvider.issuer), "sub": .string(subject),
            "aud": .string(ScriptedProvider.clientID), "azp": .string(party), "iat": .integer(now),
            "exp": .integer(now + 3_600), "email": .string("\(subject)@example.com"),
        ])
        return try network.sign(claims.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value) })
    }

    @Test("Redeems the code for the verified user and saves the session")
    func redeemed() async throws {
        let environment = try TestEnvironment()
        try Self.backend(environment)
        let token = Secret(try Self.idToken(environment.network))
        let user = try await environment.signIn.verify(token, fromApps: [Self.app])
        #expect(user.claims.email == "ada@example.com")
        let session = try await environment.signIn.redeem(ServerAuthCode(Secret("4/code")), of: user)
        #expect(session.account.subject == "ada")
        #expect(session.grantedScopes.contains(TestEnvironment.drive))
        #expect(environment.store.journal == [.probe, .update, .entryLoad, .save])
        #expect(try await environment.store.load(session.account) == session.record)
        #expect(session.refreshTokenText == "secret-refresh-of-the-backend")
    }

    @Test(
        "Compares the user of the code with that of the ID token, also for an account that the app names",
        arguments: ["ada", "bob"]
    )
    func namedAccount(user: String) async throws {
        let environment = try TestEnvironment()
        try Self.backend(environment, subject: user)
        let app = try await environment.signIn.verify(
            Secret(try Self.idToken(environment.network)),
            fromApps: [Self.app]
        )
        let options = SignInOptions.with { $0.identity = .caller { _ in "user-7" } }
        func redeem() async throws -> String {
            try await environment.signIn.redeem(ServerAuthCode(Secret("4/code")), of: app, options: options)
                .account.subject
        }
        guard user == "ada" else {
            await #expect { try await redeem() } throws: { SignInError.Code.accountMismatch ~= $0 }
            return
        }
        #expect(try await redeem() == "user-7")
    }

    @Test("Saves the session even if the caller is canceled while the code is being redeemed")
    func canceled() async throws {
        let environment = try TestEnvironment()
        let gate = Gate()
        try Self.backend(environment, waitingAt: gate)
        let redemption = Task { try await environment.signIn.redeem(ServerAuthCode(Secret("4/code")), of: nil) }
        await gate.waitForArrival()
        redemption.cancel()
        gate.open()
        let session = try await redemption.value
        #expect(try await environment.store.load(session.account) == session.record)
    }

    @Test("Rejects a code of another user than the ID token's, and saves nothing")
    func anotherPerson() async throws {
        let environment = try TestEnvironment()
        try Self.backend(environment, subject: "bob")
        let user = try await environment.signIn.verify(
            Secret(try Self.idToken(environment.network)),
            fromApps: [Self.app]
        )
        await #expect {
            try await environment.signIn.redeem(ServerAuthCode(Secret("4/code")), of: user)
        } throws: { SignInError.Code.accountMismatch ~= $0 }
        #expect(try await environment.store.list().isEmpty)
    }

    @Test("Accepts the nonce of the app in the exchange, and rejects any other")
    func nonce() async throws {
        let environment = try TestEnvironment()
        let token = Secret(try Self.idToken(environment.network) { $0.merging(["nonce": "n-1"]) { $1 } })
        let user = try await environment.signIn.verify(token, fromApps: [Self.app], nonce: Secret("n-1"))
        try Self.backend(environment) { $0.merging(["nonce": "n-1"]) { $1 } }
        _ = try await environment.signIn.redeem(ServerAuthCode(Secret("4/code")), of: user)
        try Self.backend(environment) { $0.merging(["nonce": "n-2"]) { $1 } }
        await #expect {
            try await environment.signIn.redeem(ServerAuthCode(Secret("4/code")), of: user)
        } throws: { ProtocolViolationError.Rule.idTokenNonce ~= $0 }
        await #expect {
            try await environment.signIn.verify(token, fromApps: [Self.app], nonce: Secret("n-3"))
        } throws: { ProtocolViolationError.Rule.idTokenNonce ~= $0 }
    }

    @Test("Keeps the earlier refresh token if the exchange returns none")
    func earlierRefreshToken() async throws {
        let environment = try TestEnvironment()
        try Self.backend(environment)
        _ = try await environment.signIn.redeem(ServerAuthCode(Secret("4/code")), of: nil)
        try Self.backend(environment, refreshToken: nil)
        let session = try await environment.signIn.redeem(ServerAuthCode(Secret("4/code")), of: nil)
        #expect(session.refreshTokenText == "secret-refresh-of-the-backend")
    }

    @Test("Reports an invalid server auth code as the provider's error")
    func badCode() async throws {
        let environment = try TestEnvironment()
        try Self.backend(environment)
        await #expect {
            try await environment.signIn.redeem(ServerAuthCode(Secret("4/other")), of: nil)
        } throws: { OAuthError.Code.invalidGrant ~= $0 }
    }

    @Test("Sends no server auth code if the store is unusable")
    func store() async throws {
        let environment = try TestEnvironment()
        environment.store.fail(.probe, .full)
        await #expect {
            try await environment.signIn.redeem(ServerAuthCode(Secret("4/code")), of: nil)
        } throws: { StoreError.Code.full ~= $0 }
        #expect(environment.network.requests("/token").isEmpty)
    }

    @Test(
        "Rejects an ID token that is expired, or for another client, app, issuer or key",
        arguments: [
            ["aud": "another-client"], ["azp": "another-app"], ["iss": "https://evil.example"], ["exp": .integer(1)],
        ] as [[String: JSONNode]]
    )
    func foreignToken(changes: [String: JSONNode]) async throws {
        let environment = try TestEnvironment()
        let token = Secret(try Self.idToken(environment.network) { $0.merging(changes) { $1 } })
        await #expect(throws: ProtocolViolationError.self) {
            try await environment.signIn.verify(token, fromApps: [Self.app])
        }
        let otherProvider = try ScriptedProvider(clock: environment.network.clock)
        await #expect(throws: ProtocolViolationError.self) {
            try await environment.signIn.verify(Secret(try Self.idToken(otherProvider)), fromApps: [Self.app])
        }
    }

    @Test("Accepts ID tokens for the server, and requests the same audience at each refresh")
    func appSide() async throws {
        var options = ScriptedProvider.Options()
        let signing = Mutex<ScriptedProvider?>(nil)
        options.idTokens = { claims, _ in
            let others = claims.filter { $0.name != "aud" }
            return try signing.withLock { $0 }?
                .sign(
                    others + [
                        JSONMember(name: "aud", value: "the-server"),
                        JSONMember(name: "azp", value: .string(ScriptedProvider.clientID)),
                    ]
                )
        }
        options.additionalTokenMembers = ["server_code": "4/secret-code-for-the-server"]
        let environment = try TestEnvironment(options)
        signing.withLock { $0 = environment.network }
        await #expect { try await environment.session() } throws: { ProtocolViolationError.Rule.jwtAudience ~= $0 }
        let response = try await environment.signIn.signIn(scopes: [.openID, .email], forServer: "the-server")
        #expect(response.serverAuthCode == Secret("4/secret-code-for-the-server"))
        let session = response.session
        #expect(response.idToken == session.record.tokens?.idToken)
        #expect(environment.network.requests("/token").last?.formValue("audience") == "the-server")
        environment.expire()
        _ = try await session.accessToken()
        #expect(environment.network.refreshes.last?.formValue("audience") == "the-server")
        #expect(session.ended == nil)
        signing.withLock { $0 = nil }
    }

    @Test("Opens no browser on a server, and waits for running refreshes in settle")
    func server() async throws {
        let network = try ScriptedProvider()
        let signIn = SignIn(try network.provider, transport: network, store: InMemoryStore())
        await #expect { try await signIn.signIn(scopes: [.openID]) } throws: { SignInError.Code.noBrowser ~= $0 }

        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let gate = environment.holdTokenEndpoint()
        let call = Task { try await session.accessToken() }
        await gate.waitForArrival()
        let settled = Mutex(false)
        let settling = Task {
            await environment.signIn.settle()
            settled.withLock { $0 = true }
        }
        #expect(!settled.withLock { $0 })
        gate.open()
        await settling.value
        #expect(try await environment.store.load(session.account)?.history.refreshCount == 1)
        _ = try await call.value
    }
}
