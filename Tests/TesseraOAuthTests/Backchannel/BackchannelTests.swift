// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Backchannel authentication")
struct BackchannelTests {
    private static func client(
        _ changes: [String: String] = [:],
        transport: any HTTPTransport = ScriptedTransport([]),
        clock: TestClock = TestClock()
    ) throws -> RegisteredClient {
        let endpoint = ["backchannel_authentication_endpoint": #""https://as.example/ciba""#]
        var runtime = OAuthRuntime.testing(transport: transport, clock: clock)
        runtime.clock = SelfAdvancingClock(moving: clock)
        return RegisteredClient(
            OAuthClient(clientID: "client", clientSecret: Secret("secret"), authentication: .clientSecretBasic),
            metadata: try Example.metadata(endpoint.merging(changes) { $1 }),
            runtime: runtime
        )
    }

    private static func form(_ request: BackchannelAuthenticationRequest) throws -> [String] {
        let message = try request.message(for: try Self.client())
        #expect(RecordedRequest(head: message.request).url == "https://as.example/ciba")
        #expect(message.request.headerFields[.authorization] != nil)
        return message.form.map { "\($0.name)=\($0.value)" }
    }

    @Test("The request contains exactly one hint and the optional parameters")
    func request() throws {
        var request = BackchannelAuthenticationRequest(scopes: [.openID, "a"], hint: .loginHint("ada"))
        #expect(try Self.form(request) == ["scope=openid a", "login_hint=ada"])
        request.hint = .loginHintToken(Secret("t"))
        #expect(try Self.form(request) == ["scope=openid a", "login_hint_token=t"])
        request.hint = .idTokenHint(Secret("i"))
        request.bindingMessage = "W4SCT"
        request.userCode = Secret("1234")
        request.requestedExpiry = 120
        request.acrValues = ["one", "two"]
        request.additionalParameters = ["x": "y"]
        #expect(
            try Self.form(request) == [
                "scope=openid a", "id_token_hint=i", "binding_message=W4SCT", "user_code=1234", "requested_expiry=120",
                "acr_values=one two", "x=y",
            ]
        )
    }

    @Test("Rejects an invalid backchannel request before sending it")
    func wrongRequests() throws {
        let valid = BackchannelAuthenticationRequest(scopes: [.openID], hint: .loginHint("ada"))
        var request = valid
        request.scopes = ["a"]
        #expect(outcome { try Self.form(request) } == "InvalidRequestError scope")
        request = valid
        request.requestedExpiry = 0
        #expect(outcome { try Self.form(request) } == "InvalidRequestError requested_expiry")
        for name in ["id_token_hint", "client_notification_token", "client_id", "scope", "login_hint"] {
            request = valid
            request.additionalParameters = [name: "x"]
            #expect(outcome { try Self.form(request) } == "InvalidRequestError \(name)")
        }
        for modes in [#"["push","ping"]"#, "[]"] {
            let client = try Self.client(["backchannel_token_delivery_modes_supported": modes])
            #expect(outcome { try valid.message(for: client) } == "metadata.missing")
        }
        let silent = try Self.client(["backchannel_authentication_endpoint": ""])
        #expect(outcome { try valid.message(for: silent) } == "metadata.missing")
    }

    private static func response(_ changes: [String: String] = [:]) throws -> BackchannelAuthentication {
        let body = Example.object(["auth_req_id": #""request""#, "expires_in": "120"], changes)
        return try BackchannelAuthenticationRequest(scopes: [.openID], hint: .loginHint("ada"))
            .decode(Example.json(), body: Array(body.utf8), for: try Self.client())
    }

    @Test("Reads the request ID, lifetime and interval, or rejects the response", .covers(107, 110))
    func response() throws {
        let response = try Self.response(["interval": "2"])
        #expect(response.authenticationRequestID == Secret("request"))
        #expect(response.expiresIn == 120)
        #expect(response.interval == 2)
        #expect(try Self.response().interval == 5)
        for (name, value) in [
            ("auth_req_id", ""), ("auth_req_id", "7"), ("auth_req_id", #""""#), ("expires_in", ""),
            ("expires_in", "-1"),
            ("interval", "-1"), ("interval", "1e9"), ("interval", #""x""#),
        ] {
            #expect(outcome { try Self.response([name: value]) } == "backchannel.authentication")
        }
        let refusal = Array(#"{"error":"unknown_user_id"}"#.utf8)
        #expect(
            outcome {
                try BackchannelAuthenticationRequest(scopes: [.openID], hint: .loginHint("ada"))
                    .decode(Example.json(.badRequest), body: refusal, for: try Self.client())
            } == "OAuthError unknown_user_id"
        )
    }

    @Test(
        "Polls like a device code with the CIBA grant type and requires an ID token",
        .covers(106),
        arguments: [(["id_token": #""t""#], "accepted"), ([:], "idToken.missing")] as [([String: String], String)]
    )
    func polling(members: [String: String], expected: String) async throws {
        let pending = ScriptedResponse.json(#"{"error":"authorization_pending"}"#, status: .badRequest)
        let slower = ScriptedResponse.json(#"{"error":"slow_down"}"#, status: .badRequest)
        let clock = TestClock()
        let network = ScriptedTransport([pending, slower, .json(Example.response(members))])
        let client = try Self.client(transport: network, clock: clock)
        #expect(await eventualOutcome { try await client.tokens(for: try Self.response()) } == expected)
        #expect(clock.now.offset == .seconds(20))
        #expect(
            network.requests.map { $0.formValue("grant_type") }
                == .init(repeating: "urn:openid:params:grant-type:ciba", count: 3)
        )
        #expect(network.requests.allSatisfy { $0.formValue("auth_req_id") == "request" })
    }

    @Test(
        "Rejects an ID token that names another authentication request",
        arguments: [
            ("", "accepted"), (#""request""#, "accepted"), (#""other""#, "idToken.authenticationRequest"),
            (#""""#, "idToken.authenticationRequest"), ("7", "idToken.authenticationRequest"),
        ]
    )
    func idToken(_ claim: String, _ expected: String) throws {
        let token = try IDTokens.token(["urn:openid:params:jwt:claim:auth_req_id": claim])
        #expect(
            outcome { try IDTokens.validate(token) { $0.authenticationRequestID = Secret("request") } } == expected
        )
        #expect(outcome { try IDTokens.validate(token) } == "accepted")
    }

    @Test("Redacts a secret that the server repeats in an error", .covers(61), .shows(claims: 43))
    func repeated() throws {
        let requests: [TokenRequest] = [
            .jwtBearer(assertion: Secret("CANARY")), .deviceCode(Secret("CANARY")),
            .backchannelAuthentication(Secret("CANARY")),
            .tokenExchange(subject: SecurityToken(Secret("CANARY"), type: .jwt)),
        ]
        let body = Array(#"{"error":"invalid_grant","error_description":"no CANARY here"}"#.utf8)
        for request in requests {
            let error = #expect(throws: OAuthError.self) {
                try request.decode(Example.json(.badRequest), body: body)
            }
            #expect(error?.serverDescription == "no <redacted> here")
        }
    }
}
