// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Client authentication")
struct ClientAuthenticationTests {
    private static let secret = Secret(
        "a secret of at least 64 bytes, so that every HMAC has its key length 0123456789"
    )
    private static let request = TokenRequest.refresh(Secret("refresh-token"))

    private static func client(
        _ method: ClientAuthentication?,
        algorithm: JWSAlgorithm = .es256,
        hasKey: Bool = true,
        hasSecret: Bool = true
    ) throws -> OAuthClient {
        var key = try IDTokens.key.get()
        if algorithm != .es256 { key = try JWSSigningKey.generate(algorithm) }
        return OAuthClient(
            clientID: "client",
            clientSecret: hasSecret ? Self.secret : nil,
            assertionKey: hasKey ? key : nil,
            authentication: method
        )
    }

    private static func registered(
        _ client: OAuthClient,
        _ metadata: [String: String] = [:],
        transport: any HTTPTransport = ScriptedTransport([]),
        clock: TestClock = TestClock()
    ) throws -> RegisteredClient {
        RegisteredClient(
            client,
            metadata: try Example.metadata(metadata),
            runtime: .testing(transport: transport, clock: clock)
        )
    }

    private static func assertion(_ form: [FormParameter]) throws -> CompactJWS {
        let values = form.filter { $0.name == "client_assertion" }
        #expect(values.count == 1)
        return try CompactJWS(parsing: try #require(values.first).value)
    }

    @Test(
        "private_key_jwt sends a 60-second assertion whose only audience is the issuer",
        .covers(65)
    )
    func privateKey() throws {
        let client = try Self.registered(try Self.client(.privateKeyJWT))
        let message = try Self.request.message(for: client)
        let jws = try Self.assertion(message.form)
        let keys = try IDTokens.keys([try IDTokens.key.get().publicJWK])
        try jws.verify(with: try #require(keys.candidates(for: jws.header).first))
        let claims = try jws.claims()
        #expect(claims["iss"]?.string == "client")
        #expect(claims["sub"]?.string == "client")
        #expect(claims["aud"]?.string == "https://as.example")
        #expect(try claims["iat"]?.integer(Int64.self) == 1_700_000_000)
        #expect(try claims["exp"]?.integer(Int64.self) == 1_700_000_060)
        #expect(claims["jti"]?.string?.utf8.count == 43)
        #expect(
            message.form("client_assertion_type") == ["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"]
        )
    }

    @Test(
        "The endpoint audience option sets aud to the URL of the called endpoint",
        .covers(65),
        arguments: [ClientAuthentication.privateKeyJWT, .clientSecretJWT]
    )
    func endpointAudience(_ method: ClientAuthentication) async throws {
        var client = try Self.client(method)
        client.assertionAudience = .endpoint
        let sent = try await Self.requestsToEveryEndpoint(client)
        #expect(sent.map(\.url) == Self.endpoints.map(\.url))
        for request in sent {
            #expect(try Self.assertion(request.form).claims()["aud"]?.string == request.url)
        }
        client.assertionAudience = .issuer
        for request in try await Self.requestsToEveryEndpoint(client) {
            #expect(try Self.assertion(request.form).claims()["aud"]?.string == "https://as.example")
        }
    }

    private static let endpoints: [(name: String, url: String)] = [
        ("pushed_authorization_request_endpoint", "https://as.example/push"),
        ("token_endpoint", "https://as.example/token?tenant=1"), ("revocation_endpoint", "https://as.example/revoke"),
        ("introspection_endpoint", "https://as.example/introspect"),
        ("device_authorization_endpoint", "https://as.example/device"),
        ("backchannel_authentication_endpoint", "https://as.example/ciba"),
    ]

    /// Returns the requests that the client sends to each of ``endpoints``.
    private static func requestsToEveryEndpoint(_ client: OAuthClient) async throws -> [RecordedRequest] {
        let network = ScriptedTransport { _ in .status(.serviceUnavailable) }
        let changes = Dictionary(uniqueKeysWithValues: Self.endpoints.map { ($0.name, "\"\($0.url)\"") })
        let registered = try Self.registered(client, changes, transport: network)
        let authorization = AuthorizationRequest(redirectURI: try RedirectURI(Example.redirectURI), scopes: [])
        let token = Secret("token")
        let revocation = try registered.endpoint(\.revocationEndpoint, "revocation_endpoint")
        let introspection = try registered.endpoint(\.introspectionEndpoint, "introspection_endpoint")
        let backchannel = BackchannelAuthenticationRequest(scopes: [.openID], hint: .loginHint("ada"))
        for outcome in [
            await eventualOutcome {
                try await PendingAuthorization.begin(authorization, by: registered, isPushed: true)
            },
            await eventualOutcome { try await registered.send(Self.request) },
            await eventualOutcome {
                try await registered.send(RevocationRequest.refreshToken(token, at: revocation))
            },
            await eventualOutcome { try await registered.send(IntrospectionRequest(token, at: introspection)) },
            await eventualOutcome { try await registered.send(DeviceAuthorizationRequest(scopes: [])) },
            await eventualOutcome { try await registered.send(backchannel) },
        ] { #expect(outcome == "HTTPStatusError 503") }
        return network.requests
    }

    @Test("The endpoint audience option uses the mTLS endpoint alias", .covers(65))
    func aliasAudience() throws {
        var client = try Self.client(.privateKeyJWT)
        client.assertionAudience = .endpoint
        client.certificateBoundAccessTokens = true
        let aliases = #"{"token_endpoint":"https://mtls.as.example/token"}"#
        let registered = try Self.registered(client, ["mtls_endpoint_aliases": aliases])
        let message = try Self.request.message(for: registered)
        #expect(message.request.authority == "mtls.as.example")
        #expect(try Self.assertion(message.form).claims()["aud"]?.string == "https://mtls.as.example/token")
    }

    @Test("Each attempt signs a new assertion with a new jti and the current time", .covers(65))
    func fresh() async throws {
        let clock = TestClock()
        let network = ScriptedTransport([.status(.serviceUnavailable), .json(Example.response())])
        let client = try Self.registered(try Self.client(.privateKeyJWT), transport: network, clock: clock)
        #expect(await eventualOutcome { try await client.send(Self.request) } == "HTTPStatusError 503")
        clock.advance(by: .seconds(90))
        _ = try await client.send(Self.request)
        let claims = try network.requests.map { try Self.assertion($0.form).claims() }
        #expect(claims[0]["jti"]?.string != claims[1]["jti"]?.string)
        #expect(try claims[1]["iat"]?.integer(Int64.self) == 1_700_000_090)
    }

    @Test(
        "Sends exactly one credential even if the client has several",
        .covers(62),
        arguments: ClientAuthentication.allCases
    )
    func oneCredential(_ method: ClientAuthentication) throws {
        let message = try Self.request.message(for: try Self.registered(try Self.client(method)))
        let isBasic = method == .clientSecretBasic
        let isAssertion = method == .clientSecretJWT || method == .privateKeyJWT
        #expect((message.request.headerFields[.authorization] != nil) == isBasic)
        #expect(message.form("client_secret").count == (method == .clientSecretPost ? 1 : 0))
        #expect(message.form("client_assertion").count == (isAssertion ? 1 : 0))
        #expect(message.form("client_assertion_type").count == (isAssertion ? 1 : 0))
        #expect(message.form("client_id") == (isBasic ? [] : ["client"]))
    }

    @Test(
        "Chooses the method by the client's credentials and the provider's support",
        .covers(62),
        arguments: [
            (true, true, nil, "private_key_jwt"),
            (true, true, ["private_key_jwt", "client_secret_basic"], "private_key_jwt"),
            (true, true, ["client_secret_post"], "client_secret_post"), (true, false, ["none"], "private_key_jwt"),
            (false, true, ["private_key_jwt"], "client_secret_basic"), (false, false, ["tls_client_auth"], "none"),
        ] as [(Bool, Bool, [String]?, String)]
    )
    func choice(_ hasKey: Bool, _ hasSecret: Bool, _ supported: [String]?, _ expected: String) throws {
        let client = try Self.client(nil, hasKey: hasKey, hasSecret: hasSecret)
        #expect(client.authentication(supported: supported).rawValue == expected)
    }

    @Test(
        "Throws before sending a request if the client lacks the credential",
        .covers(62),
        arguments: [
            (ClientAuthentication.privateKeyJWT, "assertionKey"), (.clientSecretJWT, "client_secret"),
        ]
    )
    func missing(method: ClientAuthentication, name: String) async throws {
        let network = ScriptedTransport([])
        let client = try Self.client(method, hasKey: false, hasSecret: false)
        let registered = try Self.registered(client, transport: network)
        #expect(await eventualOutcome { try await registered.send(Self.request) } == "InvalidRequestError \(name)")
        #expect(network.requests.isEmpty)
    }

    @Test(
        "Signs with an algorithm that the provider supports, or throws",
        .covers(65),
        arguments: [
            (.privateKeyJWT, nil, "ES256"), (.privateKeyJWT, #"["PS256","ES256"]"#, "ES256"),
            (.privateKeyJWT, #"["PS256"]"#, nil), (.privateKeyJWT, "[]", nil), (.clientSecretJWT, nil, "HS256"),
            (.clientSecretJWT, #"["ES256","HS512"]"#, "HS512"), (.clientSecretJWT, #"["ES256"]"#, nil),
        ] as [(ClientAuthentication, String?, String?)]
    )
    func algorithm(_ method: ClientAuthentication, _ supported: String?, _ expected: String?) throws {
        let metadata = ["token_endpoint_auth_signing_alg_values_supported": supported ?? ""]
        let client = try Self.registered(try Self.client(method), metadata)
        guard let expected else {
            #expect(
                outcome { try Self.request.message(for: client) }
                    == "InvalidRequestError token_endpoint_auth_signing_alg"
            )
            return
        }
        #expect(try Self.assertion(try Self.request.message(for: client).form).header.algorithm.rawValue == expected)
    }

    @Test("client_secret_jwt signs with the client secret and does not send it", .covers(62, 65))
    func secretJWT() throws {
        let message = try Self.request.message(for: try Self.registered(try Self.client(.clientSecretJWT)))
        let jws = try Self.assertion(message.form)
        let key = Self.secret.withUnredacted { JWSMACKey(secret: Array($0.utf8)) }
        #expect(key.sign(payload: jws.payload) == message.form("client_assertion").first)
        #expect(try jws.claims()["aud"]?.string == "https://as.example")
        #expect(!message.form.contains { Self.secret == Secret($0.value) })
    }

    @Test(
        "Revocation uses its own endpoint's methods, or else those of the token endpoint",
        .covers(62),
        arguments: [
            (#"["client_secret_post"]"#, #"["client_secret_basic"]"#, true),
            (#"["client_secret_basic"]"#, #"["client_secret_post"]"#, false),
            ("", #"["client_secret_post"]"#, true), ("", "", false),
        ]
    )
    func revocation(own: String, token: String, isInBody: Bool) throws {
        let endpoint = try Endpoint("https://as.example/revoke", name: "revocation_endpoint")
        let request = RevocationRequest.refreshToken(Secret("r"), at: endpoint)
        let client = try Self.registered(
            try Self.client(nil, hasKey: false),
            [
                "revocation_endpoint_auth_methods_supported": own,
                "token_endpoint_auth_methods_supported": token,
            ]
        )
        let message = try request.message(for: client)
        #expect(message.form("client_secret").isEmpty != isInBody)
    }

    @Test(
        "A client with a certificate uses the mTLS endpoint aliases",
        .covers(62),
        arguments: [
            (.tlsClientAuth, false, "mtls.as.example"), (.selfSignedTLSClientAuth, false, "mtls.as.example"),
            (.publicClient, true, "mtls.as.example"), (.publicClient, false, "as.example"),
            (.clientSecretPost, true, "mtls.as.example"),
        ] as [(ClientAuthentication, Bool, String)]
    )
    func certificate(_ method: ClientAuthentication, _ isBound: Bool, _ host: String) throws {
        var client = try Self.client(method)
        client.certificateBoundAccessTokens = isBound
        let aliases = #"{"token_endpoint":"https://mtls.as.example/token","jwks_uri":"https://mtls.as.example/keys"}"#
        let registered = try Self.registered(client, ["mtls_endpoint_aliases": aliases])
        #expect(try Self.request.message(for: registered).request.authority == host)
        #expect(try registered.endpoint(\.revocationEndpoint, "revocation_endpoint").url == "https://as.example/revoke")
        let pending = try PendingAuthorization(
            AuthorizationRequest(redirectURI: try RedirectURI(Example.redirectURI), scopes: []),
            metadata: registered.metadata,
            client: client,
            runtime: registered.runtime
        )
        let exchange = TokenRequest.authorizationCode(try #require(try pending.code()))
        #expect(try exchange.message(for: registered).request.authority == host)
        #expect(pending.authorizationURL.hasPrefix("https://as.example/authorize?"))
    }

    @Test("Redacts an assertion that the provider repeats in an error", .covers(61))
    func repeated() async throws {
        let sent = Mutex("")
        let network = ScriptedTransport { request in
            let assertion = request.formValue("client_assertion") ?? ""
            sent.withLock { $0 = assertion }
            return .json(
                #"{"error":"invalid_client","error_description":"bad assertion \#(assertion)"}"#,
                status: .unauthorized
            )
        }
        let client = try Self.registered(try Self.client(.privateKeyJWT), transport: network)
        let error = await #expect(throws: OAuthError.self) { try await client.send(Self.request) }
        #expect(error?.serverDescription == "bad assertion <redacted>")
        #expect(!sent.withLock { $0 }.isEmpty)
    }

    @Test("Compares keys by algorithm, key ID and public key, and redacts them in descriptions")
    func keys() throws {
        let key = try IDTokens.key.get()
        var renamed = key
        renamed.keyID = "other"
        #expect(try JWSSigningKey(pem: key.pemRepresentation) == key)
        #expect(renamed != key)
        #expect(try IDTokens.otherKey.get() != key)
        #expect(Set([key, key, renamed]).count == 2)
        let line = key.pemRepresentation.split(separator: "\n")[1]
        #expect(!String(reflecting: OAuthClient(clientID: "c", assertionKey: key)).contains(line))
    }
}
