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

@Suite("Authorization request and response modes")
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

    private static func environment(
        _ later: ScriptedUserAgent,
        _ more: [(name: String, value: JSONNode)] = []
    ) throws -> TestEnvironment {
        try TestEnvironment(userAgent: later) { provider in
            provider.metadata = try? Self.metadata(more)
            provider.client.authorizationResponseAlgorithms = [.es256]
        }
    }

    @Test(
        "Pushes the request to the provider, and sends only the reference through the browser",
        .covers(56, 58, 59),
        arguments: [(isPushedByApp: true, isDemanded: false), (isPushedByApp: false, isDemanded: true)]
    )
    func pushed(isPushedByApp: Bool, isDemanded: Bool) async throws {
        let later = ScriptedUserAgent.Replaceable()
        let agent = later.agent
        let environment = try Self.environment(agent, [("require_pushed_authorization_requests", .bool(isDemanded))])
        environment.network.intercept("/par") { _ in
            .json(#"{"request_uri":"urn:x:1","expires_in":60}"#, status: .created)
        }
        later.script { [network = environment.network] _ in
            let pushed = network.requests("/par").last?.text ?? ""
            return [try network.consent(to: "https://id.example/authorize?" + pushed)]
        }
        let options = SignInOptions.with { $0.pushesAuthorizationRequest = isPushedByApp }
        _ = try await environment.signIn.signIn(scopes: [.openID], options: options)
        #expect(agent.parameters.map(\.name) == ["client_id", "request_uri"])
        let sent = try #require(environment.network.requests("/par").last)
        #expect(sent.formValue("client_secret") != nil)
        #expect(sent.formValue("client_id") == "test-client")
    }

    @Test("Opens no browser if the pushed request fails", .covers(58))
    func pushFails() async throws {
        let agent = ScriptedUserAgent { _ in [] }
        let environment = try Self.environment(agent)
        environment.network.intercept("/par") { _ in .status(.serviceUnavailable) }
        let options = SignInOptions.with { $0.pushesAuthorizationRequest = true }
        await #expect(throws: HTTPStatusError.self) {
            try await environment.signIn.signIn(scopes: [.openID], options: options)
        }
        #expect(agent.authorizationURLs == [])
    }

    /// Creates an environment whose provider signs its authorization response with `key`, or by default with its own
    /// key.
    private static func signedResponseEnvironment(
        key: JWSSigningKey? = nil
    ) throws -> (environment: TestEnvironment, agent: ScriptedUserAgent) {
        let later = ScriptedUserAgent.Replaceable()
        let agent = later.agent
        let environment = try Self.environment(agent)
        later.script { [network = environment.network] url in
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
        return (environment, agent)
    }

    @Test("Signs in with a signed authorization response", .covers(42))
    func signedResponse() async throws {
        let (environment, agent) = try Self.signedResponseEnvironment()
        let options = SignInOptions.with { $0.responseMode = .queryJWT }
        let session = try await environment.signIn.signIn(scopes: [.openID], options: options)
        #expect(session.account.subject == "ada")
        #expect(agent.responseModes == [.queryJWT])
        #expect(agent.parameter("response_mode") == "query.jwt")
    }

    @Test("Rejects an authorization response signed by another key before it sends the code", .covers(42))
    func forgedResponse() async throws {
        let (environment, _) = try Self.signedResponseEnvironment(key: .generate(.es256))
        let options = SignInOptions.with { $0.responseMode = .queryJWT }
        await #expect(throws: ProtocolViolationError.self) {
            try await environment.signIn.signIn(scopes: [.openID], options: options)
        }
        #expect(environment.network.requests("/token").isEmpty)
    }

    private static let hybrid = SignInOptions.with {
        $0.responseType = .codeIDToken
        $0.responseMode = .formPost
    }

    /// Creates an environment whose provider posts a code for the user "ada" and an ID token for `subject`.
    ///
    /// The `c_hash` of the ID token is the hash of `code`, or by default of the posted code.
    private static func hybridEnvironment(
        subject: String = "ada",
        code: String? = nil
    ) throws -> (environment: TestEnvironment, agent: ScriptedUserAgent) {
        let network = SharedValue<ScriptedProvider>()
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
        let environment = try Self.environment(agent)
        network.value = environment.network
        return (environment, agent)
    }

    @Test("Signs in with the hybrid flow by form post", .covers(94))
    func hybridFlow() async throws {
        let (environment, agent) = try Self.hybridEnvironment()
        let session = try await environment.signIn.signIn(scopes: [.openID], options: Self.hybrid)
        #expect(session.account.subject == "ada")
        #expect(agent.responseModes == [.formPost])
    }

    @Test("Rejects a hybrid-flow ID token of another code before it sends the code", .covers(94))
    func hybridFlowWithAnotherCode() async throws {
        let (environment, _) = try Self.hybridEnvironment(code: "other")
        await #expect(throws: ProtocolViolationError.self) {
            try await environment.signIn.signIn(scopes: [.openID], options: Self.hybrid)
        }
        #expect(environment.store.count(.save) == 0)
        #expect(environment.network.requests("/token").isEmpty)
    }

    @Test("Rejects a hybrid-flow ID token of another user than the token endpoint's", .covers(94))
    func hybridFlowWithAnotherUser() async throws {
        let (environment, _) = try Self.hybridEnvironment(subject: "eve")
        await #expect(throws: ProtocolViolationError.self) {
            try await environment.signIn.signIn(scopes: [.openID], options: Self.hybrid)
        }
        #expect(environment.store.count(.save) == 0)
        #expect(environment.network.requests("/token").count == 1)
    }
}
