// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Ways to send a sign-in's request and to receive its answer")
struct SignInResponseTests {
    private static func metadata(_ more: [(name: String, value: JSONNode)] = []) throws -> ServerMetadata {
        let members: [(name: String, value: JSONNode)] = [
            ("issuer", "https://id.example"), ("authorization_endpoint", "https://id.example/authorize"),
            ("token_endpoint", "https://id.example/token"), ("jwks_uri", "https://id.example/keys"),
            ("token_endpoint_auth_methods_supported", ["client_secret_post"]),
            ("pushed_authorization_request_endpoint", "https://id.example/par"),
        ]
        return try ServerMetadata(members + more)
    }

    private static func world(
        _ later: ScriptedUserAgent,
        _ more: [(name: String, value: JSONNode)] = []
    ) throws -> World {
        try World(userAgent: later) { provider in
            provider.metadata = try? Self.metadata(more)
            provider.client.authorizationResponseAlgorithms = [.es256]
        }
    }

    @Test(
        "A pushed request is what the provider sees, and the browser sees the reference alone",
        .covers(56, 58, 59),
        arguments: [(isPushedByApp: true, isDemanded: false), (isPushedByApp: false, isDemanded: true)]
    )
    func pushed(isPushedByApp: Bool, isDemanded: Bool) async throws {
        let later = ScriptedUserAgent.Later()
        let agent = later.agent
        let world = try Self.world(agent, [("require_pushed_authorization_requests", .bool(isDemanded))])
        world.network.intercept("/par") { _ in
            .json(#"{"request_uri":"urn:x:1","expires_in":60}"#, status: .created)
        }
        later.script { [network = world.network] _ in
            let pushed = network.requests("/par").last?.text ?? ""
            return [try network.consent(to: "https://id.example/authorize?" + pushed)]
        }
        let options = SignInOptions.with { $0.pushesAuthorizationRequest = isPushedByApp }
        _ = try await world.signIn.signIn(scopes: [.openID], options: options)
        #expect(agent.parameters.map(\.name) == ["client_id", "request_uri"])
        let sent = try #require(world.network.requests("/par").last)
        #expect(sent.formValue("client_secret") != nil)
        #expect(sent.formValue("client_id") == "test-client")
    }

    @Test("A push that fails opens no browser", .covers(58))
    func pushFails() async throws {
        let agent = ScriptedUserAgent { _ in [] }
        let world = try Self.world(agent)
        world.network.intercept("/par") { _ in .status(.serviceUnavailable) }
        let options = SignInOptions.with { $0.pushesAuthorizationRequest = true }
        await #expect(throws: HTTPStatusError.self) {
            try await world.signIn.signIn(scopes: [.openID], options: options)
        }
        #expect(agent.authorizationURLs == [])
    }

    /// Creates a world whose provider packs its authorization response in a JWT, signed with `key` or else its own key.
    private static func signedResponseWorld(
        key: JWSSigningKey? = nil
    ) throws -> (world: World, agent: ScriptedUserAgent) {
        let later = ScriptedUserAgent.Later()
        let agent = later.agent
        let world = try Self.world(agent)
        later.script { [network = world.network] url in
            let redirect = try network.consent(to: url).split(separator: "?", maxSplits: 1)
            let claims = FormParameter.parse(String(redirect[1]))
                .map { JSONMember(name: $0.name, value: .string($0.value)) }
            let payload = JSONNode.object(
                claims + [
                    JSONMember(name: "aud", value: "test-client"), JSONMember(name: "exp", value: 1_700_000_600),
                ]
            )
            let response = try (key ?? network.signingKey).sign(payload: payload.serialized())
            return ["\(redirect[0])?response=\(response)"]
        }
        return (world, agent)
    }

    @Test("A signed response signs in", .covers(42))
    func signedResponse() async throws {
        let (world, agent) = try Self.signedResponseWorld()
        let options = SignInOptions.with { $0.responseMode = .queryJWT }
        let session = try await world.signIn.signIn(scopes: [.openID], options: options)
        #expect(session.account.subject == "ada")
        #expect(agent.responseModes == [.queryJWT])
        #expect(agent.parameter("response_mode") == "query.jwt")
    }

    @Test("A response that another key signed is rejected before its code is sent", .covers(42))
    func forgedResponse() async throws {
        let (world, _) = try Self.signedResponseWorld(key: .generate(.es256))
        let options = SignInOptions.with { $0.responseMode = .queryJWT }
        await #expect(throws: ProtocolViolationError.self) {
            try await world.signIn.signIn(scopes: [.openID], options: options)
        }
        #expect(world.network.requests("/token").isEmpty)
    }

    private static let hybrid = SignInOptions.with {
        $0.responseType = .codeIDToken
        $0.responseMode = .formPost
    }

    /// Creates a world whose provider posts a code for the user "ada" and an ID token for `subject`.
    ///
    /// The ID token's `c_hash` is the hash of `code`, or else of the posted code.
    private static func hybridWorld(
        subject: String = "ada",
        code: String? = nil
    ) throws -> (world: World, agent: ScriptedUserAgent) {
        let network = Sent<ScriptedProvider>()
        let agent = ScriptedUserAgent.delivering { url in
            guard let network = network.value else { return [] }
            let plain = url.replacing("response_type=code+id_token", with: "response_type=code")
            let redirect = try network.consent(to: plain).split(separator: "?", maxSplits: 1).map(String.init)
            let posted = FormParameter.parse(redirect[1])[0].value
            let hash = TokenHash.compute(of: code ?? posted, algorithm: .es256) ?? ""
            let nonce = FormParameter.parse(String(url.drop { $0 != "?" }.dropFirst())).first { $0.name == "nonce" }
            let idToken = try network.sign([
                JSONMember(name: "iss", value: "https://id.example"),
                JSONMember(name: "sub", value: .string(subject)),
                JSONMember(name: "aud", value: "test-client"), JSONMember(name: "iat", value: 1_700_000_000),
                JSONMember(name: "exp", value: 1_700_000_600), JSONMember(name: "c_hash", value: .string(hash)),
                JSONMember(name: "nonce", value: .string(nonce?.value ?? "")),
            ])
            return [.formPost(to: redirect[0], body: redirect[1] + "&id_token=" + idToken)]
        }
        let world = try Self.world(agent)
        network.value = world.network
        return (world, agent)
    }

    @Test("The hybrid flow signs in by form post", .covers(94))
    func hybridFlow() async throws {
        let (world, agent) = try Self.hybridWorld()
        let session = try await world.signIn.signIn(scopes: [.openID], options: Self.hybrid)
        #expect(session.account.subject == "ada")
        #expect(agent.responseModes == [.formPost])
    }

    @Test("In the hybrid flow an ID token of another code is rejected before the code is sent", .covers(94))
    func hybridFlowWithAnotherCode() async throws {
        let (world, _) = try Self.hybridWorld(code: "other")
        await #expect(throws: ProtocolViolationError.self) {
            try await world.signIn.signIn(scopes: [.openID], options: Self.hybrid)
        }
        #expect(world.store.count(.save) == 0)
        #expect(world.network.requests("/token").isEmpty)
    }

    @Test("In the hybrid flow an ID token of another user than the token endpoint's is rejected", .covers(94))
    func hybridFlowWithAnotherUser() async throws {
        let (world, _) = try Self.hybridWorld(subject: "eve")
        await #expect(throws: ProtocolViolationError.self) {
            try await world.signIn.signIn(scopes: [.openID], options: Self.hybrid)
        }
        #expect(world.store.count(.save) == 0)
        #expect(world.network.requests("/token").count == 1)
    }
}
