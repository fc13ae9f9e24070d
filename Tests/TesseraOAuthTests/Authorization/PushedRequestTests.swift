// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Pushed authorization requests")
struct PushedRequestTests {
    private static let endpoint = ["pushed_authorization_request_endpoint": "\"https://as.example/par\""]
    private static let demanded = ["require_pushed_authorization_requests": "true"]
    private static let request = Result {
        AuthorizationRequest(redirectURI: try RedirectURI(Example.redirectURI), scopes: [.openID, .email])
    }

    private static func accepted(_ reference: String = "urn:x:1", expiresIn: Int = 60) -> ScriptedResponse {
        .json(#"{"request_uri":"\#(reference)","expires_in":\#(expiresIn)}"#, status: .created)
    }

    private static func begin(
        _ transport: ScriptedTransport,
        _ changes: [String: String] = Self.endpoint,
        client: OAuthClient = Example.client,
        isPushed: Bool = true,
        runtime: OAuthRuntime? = nil
    ) async throws -> PendingAuthorization {
        let client = RegisteredClient(
            client,
            metadata: try Example.metadata(changes),
            runtime: runtime ?? .testing(transport: transport)
        )
        return try await .begin(try Self.request.get(), by: client, isPushed: isPushed)
    }

    @Test(
        "Opens a URL with only client_id and request_uri after a 201 response",
        .covers(54, 56)
    )
    func pushed() async throws {
        let transport = ScriptedTransport([Self.accepted("urn:ietf:params:oauth:request_uri:a+b")])
        let pending = try await Self.begin(transport)
        #expect(
            pending.authorizationURL
                == "https://as.example/authorize?client_id=client"
                + "&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Aa%2Bb"
        )
        let sent = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        #expect(sent.url == "https://as.example/par")
        #expect(sent.head.method == .post)
        #expect(Set(sent.form.map(\.name)).count == sent.form.count, "Each parameter is sent once.")
        for name in ["response_type", "redirect_uri", "scope", "state", "nonce", "code_challenge", "client_id"] {
            #expect(sent.formValue(name) != nil)
        }
        #expect(sent.formValue("request_uri") == nil)
        let state = try #require(sent.formValue("state"))
        #expect(pending.result(of: .redirect("\(Example.redirectURI)?state=\(state)&code=c")) == "code")
    }

    @Test(
        "Throws for any other status without falling back to URL parameters",
        .covers(54, 58),
        arguments: [
            (200, #"{"request_uri":"urn:x:1","expires_in":60}"#, "HTTPStatusError 200"),
            (302, "", "HTTPStatusError 302"),
            (400, #"{"error":"invalid_request"}"#, "OAuthError invalid_request"), (400, "no", "HTTPStatusError 400"),
            (413, "", "HTTPStatusError 413"), (429, "", "HTTPStatusError 429"), (503, "", "HTTPStatusError 503"),
            (401, #"{"error":"invalid_client"}"#, "OAuthError invalid_client"),
        ],
        [false, true]
    )
    func status(response: (status: Int, body: String, expected: String), isDemanded: Bool) async throws {
        let changes = isDemanded ? Self.endpoint.merging(Self.demanded) { $1 } : Self.endpoint
        let transport = ScriptedTransport([
            .json(
                response.body,
                status: .init(code: response.status),
                headerFields: [.location: "https://evil.example/"]
            )
        ])
        #expect(await eventualOutcome { try await Self.begin(transport, changes) } == response.expected)
        #expect(transport.requests.map(\.url) == ["https://as.example/par"])
    }

    @Test("Throws if the pushed request gets no response", .covers(58))
    func silence() async throws {
        let silent = ScriptedTransport([])
        #expect(await eventualOutcome { try await Self.begin(silent) } == "TransportError cannotConnect")
    }

    @Test(
        "Rejects a response without a valid request_uri and expires_in",
        .covers(55),
        arguments: [
            #"{"expires_in":60}"#, #"{"request_uri":"","expires_in":60}"#, #"{"request_uri":1,"expires_in":60}"#,
            #"{"request_uri":null,"expires_in":60}"#, #"{"request_uri":"no uri","expires_in":60}"#,
            #"{"request_uri":"urn:x:1"}"#, #"{"request_uri":"urn:x:1","expires_in":0}"#,
            #"{"request_uri":"urn:x:1","expires_in":-1}"#, #"{"request_uri":"urn:x:1","expires_in":"60"}"#,
            #"{"request_uri":"urn:x:1","expires_in":1.5}"#, #"{"request_uri":"urn:x:1","expires_in":1e400}"#,
            #"{"request_uri":"urn:x:1","expires_in":9000000000000000000}"#,
            #"{"request_uri":"urn:x:1","request_uri":"urn:x:2","expires_in":60}"#, "[]", "", "null", "<html>",
        ]
    )
    func form(_ body: String) async {
        let transport = ScriptedTransport([.json(body, status: .created)])
        #expect(await eventualOutcome { try await Self.begin(transport) } == "pushed.format")
    }

    @Test("Pushes each request separately and pushes again when the reference has expired", .covers(57))
    func fresh() async throws {
        let clock = TestClock()
        let transport = ScriptedTransport([
            Self.accepted("urn:x:1"), Self.accepted("urn:x:2"), Self.accepted("urn:x:3", expiresIn: 10),
        ])
        let runtime = OAuthRuntime.testing(transport: transport, clock: clock)
        let first = try await Self.begin(transport, runtime: runtime)
        let second = try await Self.begin(transport, runtime: runtime)
        let states = transport.requests.compactMap { $0.formValue("state") }
        try #require(states.count == 2)
        #expect(states[0] != states[1])
        #expect(first.sent("request_uri") == ["urn:x:1"])
        #expect(second.sent("request_uri") == ["urn:x:2"])

        clock.advance(by: .seconds(59))
        #expect(try await first.freshAuthorizationURL() == first.authorizationURL)
        #expect(transport.requests.count == 2, "The reference has not expired yet.")
        clock.advance(by: .seconds(1))
        let url = try await first.freshAuthorizationURL()
        #expect(url.hasSuffix("request_uri=urn%3Ax%3A3"))
        #expect(first.authorizationURL == url)
        #expect(transport.requests.last?.formValue("state") == states[0], "The state is unchanged.")
        clock.advance(by: .seconds(10))
        #expect(
            await eventualOutcome { try await first.freshAuthorizationURL() } == "TransportError cannotConnect",
            "An expired reference is not used."
        )
        let plain = try await Self.begin(transport, isPushed: false, runtime: runtime)
        clock.advance(by: .seconds(100_000))
        #expect(try await plain.freshAuthorizationURL() == plain.authorizationURL)
    }

    @Test("Pushes the request if the provider requires it, even if the caller did not", .covers(58))
    func demandedByMetadata() async throws {
        let changes = Self.endpoint.merging(Self.demanded) { $1 }
        let transport = ScriptedTransport([Self.accepted()])
        let pending = try await Self.begin(transport, changes, isPushed: false)
        #expect(Set(pending.sent.map(\.name)) == ["client_id", "request_uri"])
        #expect(outcome { try Example.pending(try Example.metadata(changes)) } == "InvalidRequestError request_uri")
        let nowhere = ScriptedTransport([Self.accepted()])
        #expect(await eventualOutcome { try await Self.begin(nowhere, Self.demanded) } == "metadata.missing")
        #expect(nowhere.requests.isEmpty)
    }

    @Test("Authenticates a pushed request like a token request, with one client_id", .covers(59, 62))
    func authentication() async throws {
        func sent(_ authentication: ClientAuthentication) async throws -> RecordedRequest {
            let transport = ScriptedTransport([Self.accepted()])
            let client = OAuthClient(
                clientID: "client",
                clientSecret: Secret("s3cr3t"),
                authentication: authentication
            )
            let pending = try await Self.begin(transport, client: client)
            #expect(!pending.authorizationURL.contains("s3cr3t"))
            return try #require(transport.requests.first)
        }
        let basic = try await sent(.clientSecretBasic)
        #expect(basic.head.headerFields[.authorization] == "Basic Y2xpZW50OnMzY3IzdA==")
        #expect(basic.formValue("client_id") == "client")
        #expect(basic.formValue("client_secret") == nil)
        let post = try await sent(.clientSecretPost)
        #expect(post.formValue("client_id") == "client")
        #expect(post.formValue("client_secret") == "s3cr3t")
        #expect(post.head.headerFields[.authorization] == nil)
        let publicClient = try await sent(.publicClient)
        #expect(publicClient.formValue("client_id") == "client")
        #expect(publicClient.formValue("client_secret") == nil)
    }

    @Test("A client with a certificate pushes to the mTLS endpoint alias", .covers(59))
    func certificate() async throws {
        let transport = ScriptedTransport([Self.accepted()])
        let alias = #"{"pushed_authorization_request_endpoint":"https://mtls.as.example/par"}"#
        let changes = Self.endpoint.merging(["mtls_endpoint_aliases": alias]) { $1 }
        _ = try await Self.begin(
            transport,
            changes,
            client: OAuthClient(clientID: "client", authentication: .tlsClientAuth)
        )
        #expect(transport.requests.map(\.url) == ["https://mtls.as.example/par"])
    }

    @Test("Redacts a pushed value that an error description repeats")
    func redaction() async throws {
        let transport = ScriptedTransport { request in
            let state = request.formValue("state") ?? ""
            return .json(#"{"error":"invalid_request","error_description":"\#(state)"}"#, status: .badRequest)
        }
        let thrown = await #expect(throws: OAuthError.self) { try await Self.begin(transport) }
        #expect(thrown?.serverDescription == "<redacted>")
    }
}
