// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Signed request objects")
struct RequestObjectTests {
    private static let key = Result { try JWSSigningKey.generate(.es256) }

    private static func begin(
        _ changes: [String: String] = [:],
        scopes: [Scope] = [.openID],
        isPushed: Bool = false,
        signingKey: JWSSigningKey?,
        client: OAuthClient = Example.client,
        runtime: OAuthRuntime = .testing(transport: ScriptedTransport([])),
        change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> PendingAuthorization {
        let client = RegisteredClient(client, metadata: try Example.metadata(changes), runtime: runtime)
        var request = AuthorizationRequest(redirectURI: try RedirectURI(Example.redirectURI), scopes: scopes)
        change(&request)
        return try await .begin(request, by: client, isPushed: isPushed, signingKey: signingKey)
    }

    /// Returns the claims of a request object after verifying its signature and type.
    private static func claims(_ text: String?) throws -> JSONValue {
        let jws = try CompactJWS(parsing: try #require(text))
        let keys = try IDTokens.keys([Self.key.get().publicJWK])
        try jws.verify(with: try #require(keys.candidates(for: jws.header).first))
        #expect(jws.header.type == "oauth-authz-req+jwt")
        return try jws.claims()
    }

    @Test("Signs every parameter and repeats in the URL only those that OpenID Connect requires")
    func byValue() async throws {
        let pending = try await Self.begin(scopes: [.openID, .email], signingKey: try Self.key.get()) { request in
            request.maxAge = 60
            request.resources = ["urn:a", "urn:b"]
            request.claims = ClaimsRequest(idToken: ["auth_time": .essential])
            request.authorizationDetails = [AuthorizationDetail(type: "x")]
        }
        #expect(Set(pending.sent.map(\.name)) == ["client_id", "response_type", "scope", "request"])
        #expect(pending.sent("scope") == ["openid email"])
        #expect(pending.sent("response_type") == ["code"])
        let claims = try Self.claims(pending.sent("request").first)
        func text(_ name: String) -> String? { claims[name]?.string }
        #expect(text("iss") == "client")
        #expect(text("client_id") == "client")
        #expect(text("aud") == "https://as.example")
        #expect(claims["iat"]?.text == "1699999999")
        #expect(claims["nbf"]?.text == "1699999999")
        #expect(claims["exp"]?.text == "1700000599")
        #expect(text("jti")?.count == 43)
        #expect(text("state")?.count == 43)
        #expect(text("nonce")?.count == 43)
        #expect(text("code_challenge_method") == "S256")
        #expect(text("redirect_uri") == Example.redirectURI)
        #expect(claims["max_age"]?.text == "60")
        #expect(claims["resource"]?.text == #"["urn:a","urn:b"]"#)
        #expect(claims["claims"]?.text == #"{"id_token":{"auth_time":{"essential":true}}}"#)
        #expect(claims["authorization_details"]?.text == #"[{"type":"x"}]"#)
        #expect(claims["request"] == nil)
        #expect(claims["sub"] == nil)
        let state = try #require(text("state"))
        #expect(pending.result(of: .redirect("\(Example.redirectURI)?state=\(state)&code=c")) == "code")
    }

    @Test("Without openid, the URL contains only client_id and the request object")
    func withoutOpenID() async throws {
        let pending = try await Self.begin(scopes: [.email], signingKey: try Self.key.get())
        #expect(Set(pending.sent.map(\.name)) == ["client_id", "request"])
    }

    @Test("Pushes only the request object, and signs a new one for each push", .covers(57))
    func pushed() async throws {
        let clock = TestClock()
        let response = #"{"request_uri":"urn:x:1","expires_in":60}"#
        let transport = ScriptedTransport([.json(response, status: .created), .json(response, status: .created)])
        let pending = try await Self.begin(
            ["pushed_authorization_request_endpoint": "\"https://as.example/par\""],
            isPushed: true,
            signingKey: try Self.key.get(),
            runtime: .testing(transport: transport, clock: clock)
        )
        #expect(Set(pending.sent.map(\.name)) == ["client_id", "request_uri"])
        clock.advance(by: .seconds(60))
        _ = try await pending.freshAuthorizationURL()
        var seen: [(state: String?, id: String?, expiry: String?)] = []
        for request in transport.requests {
            #expect(Set(request.form.map(\.name)) == ["client_id", "request"])
            #expect(request.form.count == 2)
            let claims = try Self.claims(request.formValue("request"))
            seen.append((claims["state"]?.string, claims["jti"]?.string, claims["exp"]?.text))
        }
        try #require(seen.count == 2)
        #expect(seen.map(\.expiry) == ["1700000599", "1700000659"])
        #expect(seen[0].id != seen[1].id)
        #expect(seen[0].state == seen[1].state)
        #expect(seen[0].state != nil)
    }

    @Test("Signs the request if the provider requires it, or throws without a key")
    func demanded() async throws {
        let changes = ["require_signed_request_object": "true"]
        #expect(
            await eventualOutcome { try await Self.begin(changes, signingKey: nil) } == "InvalidRequestError request"
        )
        #expect(outcome { try Example.pending(try Example.metadata(changes)) } == "InvalidRequestError request")
        let pending = try await Self.begin(changes, signingKey: try Self.key.get())
        #expect(pending.sent("request").count == 1)
        let client = OAuthClient(clientID: "client", assertionKey: try Self.key.get())
        let own = try await Self.begin(changes, signingKey: nil, client: client)
        #expect(try Self.claims(own.sent("request").first)["iss"]?.string == "client")
        #expect(try await Self.begin(signingKey: nil, client: client).sent("request") == [], "Signing is not required.")
    }

    @Test(
        "Rejects a key whose algorithm the provider does not announce",
        arguments: [
            ("[\"ES256\",\"none\"]", "accepted"), ("[\"PS256\"]", "InvalidRequestError request"),
            ("[]", "InvalidRequestError request"), ("", "accepted"),
        ]
    )
    func algorithm(announced: String, expected: String) async throws {
        let key = try Self.key.get()
        let name = "request_object_signing_alg_values_supported"
        #expect(await eventualOutcome { try await Self.begin([name: announced], signingKey: key) } == expected)
    }

    @Test(
        "Rejects an additional parameter that is a registered JWT claim",
        arguments: ["iss", "aud", "exp", "jti", "sub"]
    )
    func conflict(_ name: String) async throws {
        let key = try Self.key.get()
        let result = await eventualOutcome {
            try await Self.begin(signingKey: key) { $0.additionalParameters = [name: "x"] }
        }
        #expect(result == "InvalidRequestError \(name)")
    }
}
