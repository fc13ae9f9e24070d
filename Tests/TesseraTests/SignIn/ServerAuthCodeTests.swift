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

@Suite("A backend that an app sends a code and an ID token")
struct ServerAuthCodeTests {
    private static let app = "the-app"

    /// A backend at a provider that gives it these tokens for the code.
    private static func backend(
        _ world: World,
        subject: String = "ada",
        refreshToken: String? = "secret-refresh-of-the-backend",
        change: @escaping @Sendable ([String: JSONNode]) -> [String: JSONNode] = { $0 }
    ) throws {
        let network = world.network
        world.tokenEndpoint { request in
            guard request.formValue("grant_type") == "authorization_code" else { return nil }
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

    @Test("Both are one person's: the session is saved, and goes on by itself when its token has ended")
    func redeemed() async throws {
        let world = try World()
        try Self.backend(world)
        let token = Secret(try Self.idToken(world.network))
        let person = try await world.signIn.verify(token, fromApps: [Self.app])
        #expect(person.claims.email == "ada@example.com")
        let session = try await world.signIn.redeem(ServerAuthCode(Secret("4/code")), of: person)
        #expect(session.account.subject == "ada")
        #expect(session.grant.contains(World.drive))
        #expect(world.store.journal == [.probe, .update, .entryLoad, .save])
        #expect(try await world.store.load(session.account) == session.record)
        #expect(session.refreshTokenText == "secret-refresh-of-the-backend")
    }

    @Test("A code of another person than the ID token's is refused, and nothing is kept")
    func anotherPerson() async throws {
        let world = try World()
        try Self.backend(world, subject: "bob")
        let person = try await world.signIn.verify(Secret(try Self.idToken(world.network)), fromApps: [Self.app])
        await #expect {
            try await world.signIn.redeem(ServerAuthCode(Secret("4/code")), of: person)
        } throws: { SignInError.Code.accountMismatch ~= $0 }
        #expect(try await world.store.list().isEmpty)
    }

    @Test("A nonce that the app sent may come back in the exchange, and another one may not")
    func nonce() async throws {
        let world = try World()
        let token = Secret(try Self.idToken(world.network) { $0.merging(["nonce": "n-1"]) { $1 } })
        let person = try await world.signIn.verify(token, fromApps: [Self.app], nonce: Secret("n-1"))
        try Self.backend(world) { $0.merging(["nonce": "n-1"]) { $1 } }
        _ = try await world.signIn.redeem(ServerAuthCode(Secret("4/code")), of: person)
        try Self.backend(world) { $0.merging(["nonce": "n-2"]) { $1 } }
        await #expect {
            try await world.signIn.redeem(ServerAuthCode(Secret("4/code")), of: person)
        } throws: { ProtocolViolationError.Rule.idTokenNonce ~= $0 }
        await #expect {
            try await world.signIn.verify(token, fromApps: [Self.app], nonce: Secret("n-3"))
        } throws: { ProtocolViolationError.Rule.idTokenNonce ~= $0 }
    }

    @Test("Without a refresh token the earlier one stays, as Google means it")
    func earlierRefreshToken() async throws {
        let world = try World()
        try Self.backend(world)
        _ = try await world.signIn.redeem(ServerAuthCode(Secret("4/code")), of: nil)
        try Self.backend(world, refreshToken: nil)
        let session = try await world.signIn.redeem(ServerAuthCode(Secret("4/code")), of: nil)
        #expect(session.refreshTokenText == "secret-refresh-of-the-backend")
    }

    @Test("A code that is not good is the provider's error")
    func badCode() async throws {
        let world = try World()
        try Self.backend(world)
        await #expect {
            try await world.signIn.redeem(ServerAuthCode(Secret("4/other")), of: nil)
        } throws: { OAuthError.Code.invalidGrant ~= $0 }
    }

    @Test("No code is sent that could not be kept")
    func store() async throws {
        let world = try World()
        world.store.fail(.probe, .full)
        await #expect {
            try await world.signIn.redeem(ServerAuthCode(Secret("4/code")), of: nil)
        } throws: { StoreError.Code.full ~= $0 }
        #expect(world.network.requests("/token").isEmpty)
    }

    @Test(
        "An ID token of somebody else's is refused",
        arguments: [
            ["aud": "another-client"], ["azp": "another-app"], ["iss": "https://evil.example"], ["exp": .integer(1)],
        ] as [[String: JSONNode]]
    )
    func foreignToken(changes: [String: JSONNode]) async throws {
        let world = try World()
        let token = Secret(try Self.idToken(world.network) { $0.merging(changes) { $1 } })
        await #expect(throws: ProtocolViolationError.self) {
            try await world.signIn.verify(token, fromApps: [Self.app])
        }
        let stranger = try ScriptedProvider(clock: world.network.clock)
        await #expect(throws: ProtocolViolationError.self) {
            try await world.signIn.verify(Secret(try Self.idToken(stranger)), fromApps: [Self.app])
        }
    }

    @Test("An app whose ID tokens are made out to its server keeps its session, and asks for the same at each refresh")
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
        let world = try World(options)
        signing.withLock { $0 = world.network }
        await #expect { try await world.session() } throws: { ProtocolViolationError.Rule.jwtAudience ~= $0 }
        let answer = try await world.signIn.signIn(scopes: [.openID, .email], forServer: "the-server")
        #expect(answer.serverAuthCode == Secret("4/secret-code-for-the-server"))
        let session = answer.session
        #expect(answer.idToken == session.record.tokens?.idToken)
        #expect(world.network.requests("/token").last?.formValue("audience") == "the-server")
        world.expire()
        _ = try await session.accessToken()
        #expect(world.network.refreshes.last?.formValue("audience") == "the-server")
        #expect(session.ended == nil)
        signing.withLock { $0 = nil }
    }

    @Test("A server's sign-in opens no browser, and waits for refreshes at its end")
    func server() async throws {
        let network = try ScriptedProvider()
        let signIn = SignIn(try network.provider, transport: network, store: InMemoryStore())
        await #expect { try await signIn.signIn(scopes: [.openID]) } throws: { SignInError.Code.noBrowser ~= $0 }

        let world = try World()
        let session = try await world.staleSession()
        let gate = world.holdTokenEndpoint()
        let call = Task { try await session.accessToken() }
        await gate.arrival()
        let settled = Mutex(false)
        let settling = Task {
            await world.signIn.settle()
            settled.withLock { $0 = true }
        }
        #expect(!settled.withLock { $0 })
        gate.open()
        await settling.value
        #expect(try await world.store.load(session.account)?.history.refreshCount == 1)
        _ = try await call.value
    }
}
