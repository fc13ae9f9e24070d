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

    @Test("A pushed request is what the provider sees, and the browser sees the reference alone", .covers(56, 58, 59))
    func pushed() async throws {
        for (options, demanded) in [(SignInOptions(pushesAuthorizationRequest: true), false), (SignInOptions(), true)] {
            let later = ScriptedUserAgent.Later()
            let agent = later.agent
            let world = try Self.world(agent, [("require_pushed_authorization_requests", .bool(demanded))])
            world.network.intercept("/par") { _ in
                .json(#"{"request_uri":"urn:x:1","expires_in":60}"#, status: .created)
            }
            later.script { [network = world.network] _ in
                let pushed = network.requests("/par").last?.text ?? ""
                return [try network.consent(to: "https://id.example/authorize?" + pushed)]
            }
            _ = try await world.signIn.signIn(scopes: [.openID], options: options)
            #expect(agent.parameters.map(\.name) == ["client_id", "request_uri"])
            let sent = try #require(world.network.requests("/par").last)
            #expect(sent.formValue("client_secret") != nil)
            #expect(sent.formValue("client_id") == "test-client")
        }
    }

    @Test("A push that fails opens no browser", .covers(58))
    func pushFails() async throws {
        let agent = ScriptedUserAgent { _ in [] }
        let world = try Self.world(agent)
        world.network.intercept("/par") { _ in .status(.serviceUnavailable) }
        let options = SignInOptions(pushesAuthorizationRequest: true)
        await #expect(throws: HTTPStatusError.self) {
            try await world.signIn.signIn(scopes: [.openID], options: options)
        }
        #expect(agent.authorizationURLs == [])
    }

    @Test("A signed answer signs in after its check; a forged one does not", .covers(42))
    func signedResponse() async throws {
        let stranger = try JWSSigningKey.generate(.es256)
        for isForged in [false, true] {
            let later = ScriptedUserAgent.Later()
            let agent = later.agent
            let world = try Self.world(agent)
            later.script { [network = world.network] url in
                let redirect = try network.consent(to: url)
                let parts = redirect.split(separator: "?", maxSplits: 1)
                let claims = FormParameter.parse(String(parts[1]))
                    .map { JSONMember(name: $0.name, value: .string($0.value)) }
                let payload = JSONNode.object(
                    claims + [
                        JSONMember(name: "aud", value: "test-client"), JSONMember(name: "exp", value: 1_700_000_600),
                    ]
                )
                let key = isForged ? stranger : network.signingKey
                return ["\(parts[0])?response=" + (try key.sign(payload: payload.serialized()))]
            }
            let options = SignInOptions(responseMode: .queryJWT)
            if isForged {
                await #expect(throws: ProtocolViolationError.self) {
                    try await world.signIn.signIn(scopes: [.openID], options: options)
                }
                #expect(world.network.requests("/token").isEmpty)
            } else {
                _ = try await world.signIn.signIn(scopes: [.openID], options: options)
                #expect(agent.responseModes == [.queryJWT])
                #expect(agent.parameter("response_mode") == "query.jwt")
            }
        }
    }

    private static let hybridCases: [(String, String?, Bool)] = [
        ("ada", nil, true), ("eve", nil, false), ("ada", "other", false),
    ]

    @Test(
        "In the hybrid flow by form post the ID token is checked first, and its person is the token endpoint's",
        .covers(94)
    )
    func hybrid() async throws {
        for (subject, code, isGood) in Self.hybridCases {
            let deliveries = Sent<DeliveredResponse>()
            let network = Sent<ScriptedProvider>()
            let agent = ScriptedUserAgent.delivering { url in
                guard let network = network.value else { return [] }
                let plain = url.replacing("response_type=code+id_token", with: "response_type=code")
                let redirect = try network.consent(to: plain)
                let parts = redirect.split(separator: "?", maxSplits: 1).map(String.init)
                let answer = FormParameter.parse(parts[1])
                let hash = TokenHash.compute(of: code ?? answer[0].value, algorithm: .es256) ?? ""
                let nonce = FormParameter.parse(String(url.drop { $0 != "?" }.dropFirst())).first { $0.name == "nonce" }
                let idToken = try network.sign([
                    JSONMember(name: "iss", value: "https://id.example"),
                    JSONMember(name: "sub", value: .string(subject)),
                    JSONMember(name: "aud", value: "test-client"), JSONMember(name: "iat", value: 1_700_000_000),
                    JSONMember(name: "exp", value: 1_700_000_600), JSONMember(name: "c_hash", value: .string(hash)),
                    JSONMember(name: "nonce", value: .string(nonce?.value ?? "")),
                ])
                deliveries.value = .formPost(to: parts[0], body: parts[1] + "&id_token=" + idToken)
                return [deliveries.value].compactMap { $0 }
            }
            let world = try Self.world(agent)
            network.value = world.network
            let options = SignInOptions(responseType: .codeIDToken, responseMode: .formPost)
            if isGood {
                let session = try await world.signIn.signIn(scopes: [.openID], options: options)
                #expect(session.account.subject == "ada")
                #expect(agent.responseModes == [.formPost])
            } else {
                await #expect(throws: ProtocolViolationError.self) {
                    try await world.signIn.signIn(scopes: [.openID], options: options)
                }
                #expect(world.store.count(.save) == 0)
                #expect(world.network.requests("/token").count == (code == nil ? 1 : 0))
            }
        }
    }
}
