// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Introspection")
struct IntrospectionTests {
    private static func endpoint() throws -> Endpoint {
        try Endpoint("https://as.example/introspect", name: "introspection_endpoint")
    }

    private static func response(_ body: String, status: Int = 200) throws -> Introspection {
        try IntrospectionRequest(Secret("t"), at: self.endpoint())
            .decode(Example.json(.init(code: status)), body: Array(body.utf8))
    }

    @Test("Sends the token and the resource server's credentials in the body", .covers(61))
    func message() throws {
        let client = OAuthClient(clientID: "rs", clientSecret: Secret("s"))
        let request = try IntrospectionRequest(Secret("CANARY"), hint: "access_token", at: Self.endpoint())
        let message = try request.message(client: client, supportedAuthenticationMethods: ["client_secret_post"])
        #expect(message.form("token") == ["CANARY"])
        #expect(message.form("token_type_hint") == ["access_token"])
        #expect(message.form("client_id") == ["rs"])
        #expect(message.form("client_secret") == ["s"])
        #expect(message.request.headerFields[.accept] == "application/json")
        let signed = try SignedIntrospectionRequest(Secret("CANARY"), at: Self.endpoint()).message(client: client)
        #expect(signed.request.headerFields[.accept] == "application/token-introspection+jwt")
        #expect(signed.form("token") == ["CANARY"])
        #expect(signed.form("token_type_hint").isEmpty)
        #expect(RecordedRequest(head: signed.request).url == "https://as.example/introspect")
    }

    @Test("Decodes every member of an introspection response")
    func claims() throws {
        let body = #"""
            {"active":true,"scope":"a b a","client_id":"c","username":"ada","token_type":"DPoP","exp":1700003600,
            "iat":1700000000,"nbf":1700000001.5,"sub":"s","aud":"api","iss":"https://as.example","jti":"j",
            "cnf":{"jkt":"k","x5t#S256":"x"},"extension":7}
            """#
        let introspection = try Self.response(body)
        #expect(introspection.isActive)
        #expect(introspection.scopes == ["a", "b"])
        #expect(introspection.clientID == "c")
        #expect(introspection.username == "ada")
        #expect(introspection.tokenType == "DPoP")
        #expect(introspection.expiresAt == 1_700_003_600)
        #expect(introspection.issuedAt == 1_700_000_000)
        #expect(introspection.notBefore == 1_700_000_001.5)
        #expect(introspection.subject == "s")
        #expect(introspection.audience == ["api"])
        #expect(introspection.issuer == "https://as.example")
        #expect(introspection.tokenID == "j")
        #expect(introspection.confirmation?.keyThumbprint == "k")
        #expect(introspection.confirmation?.certificateThumbprint == "x")
        #expect(introspection.document["extension"]?.numberText == "7")
        let inactive = try Self.response(#"{"active":false}"#)
        #expect(!inactive.isActive)
        #expect(inactive.scopes.isEmpty)
        #expect(inactive.audience.isEmpty)
    }

    @Test(
        "Rejects an introspection response whose scope violates the syntax of RFC 6749",
        .covers(148),
        arguments: ["a\\u001b[2J", "a\\nb", "\\u009b", "\\u202e"]
    )
    func scopeSyntax(scope: String) throws {
        #expect(outcome { try Self.response(#"{"active":true,"scope":"\#(scope)"}"#) } == "scope.form")
    }

    @Test(
        "Rejects a malformed introspection response or one without a valid active member",
        arguments: [
            (200, "{}", "introspection.format"), (200, #"{"active":"true"}"#, "introspection.format"),
            (200, #"{"active":1}"#, "introspection.format"), (200, #"{"active":null}"#, "introspection.format"),
            (200, #"{"active":false,"active":true}"#, "introspection.format"), (200, "[]", "introspection.format"),
            (200, "", "introspection.format"), (200, "a.b.c", "introspection.format"),
            (200, #"{"active":true,"scope":["a"]}"#, "introspection.format"),
            (200, #"{"active":true,"exp":"1"}"#, "introspection.format"),
            (200, #"{"active":true,"exp":1e300}"#, "introspection.format"),
            (200, #"{"active":true,"aud":5}"#, "introspection.format"),
            (200, #"{"active":true,"cnf":"k"}"#, "introspection.format"),
            (200, #"{"active":true,"cnf":{"jkt":""}}"#, "introspection.format"),
            (401, #"{"error":"invalid_client"}"#, "OAuthError invalid_client"), (500, "", "HTTPStatusError 500"),
            (302, #"{"active":true}"#, "HTTPStatusError 302"), (204, "", "HTTPStatusError 204"),
        ]
    )
    func hostile(status: Int, body: String, expected: String) {
        #expect(outcome { try Self.response(body, status: status) } == expected)
    }

    /// Validates a signed introspection response with the given changes.
    private static func signed(
        _ changes: [String: String] = [:],
        type: String? = "token-introspection+jwt",
        key: Result<JWSSigningKey, any Error> = IDTokens.key,
        issuedAtLimit: Int? = 60
    ) throws -> Introspection {
        let claims = [
            "exp": "", "sub": "", "nonce": "", "aud": "\"rs\"",
            "token_introspection": #"{"active":true,"sub":"ada","scope":"a"}"#,
        ]
        let token = try IDTokens.token(claims.merging(changes) { $1 }, type: type, key: key)
        var policy = IntrospectionPolicy(issuer: try Issuer(Example.issuer), clientID: "rs", algorithms: [.es256])
        #expect(policy.issuedAtLimit == 60)
        policy.issuedAtLimit = issuedAtLimit
        return try policy.validate(token, keys: IDTokens.keys([IDTokens.published()]), now: IDTokens.now)
    }

    @Test(
        "Rejects a signed introspection response with invalid claims",
        .covers(88, 98),
        arguments: [
            (["iss": "\"https://evil.example\""], "jwt.issuer"), (["iss": ""], "jwt.claims"),
            (["aud": "\"other\""], "jwt.audience"), (["aud": ""], "jwt.claims"), (["iat": ""], "jwt.claims"),
            (["iat": "1800000000"], "jwt.time"), (["token_introspection": ""], "jwt.claims"),
            (["token_introspection": "\"x\""], "introspection.format"),
            (["token_introspection": "{}"], "introspection.format"),
            (["token_introspection": "", "active": "true"], "jwt.claims"),
        ]
    )
    func signature(changes: [String: String], expected: String) throws {
        #expect(outcome { try Self.signed(changes) } == expected, "\(changes)")
    }

    @Test("Accepts a signed introspection response only with the server's signature", .covers(88, 98))
    func signedBody() throws {
        #expect(try Self.signed().subject == "ada")
        #expect(try Self.signed(["token_introspection": #"{"active":false}"#]).isActive == false)
        #expect(outcome { try Self.signed(key: IDTokens.otherKey) } == "jwt.signingKey")
    }

    @Test(
        "Rejects a signed introspection response of another token type",
        .covers(88, 98),
        arguments: [nil, "JWT", "at+jwt", "logout+jwt", ""]
    )
    func signedType(type: String?) {
        #expect(outcome { try Self.signed(type: type) } == "jwt.type")
    }

    @Test(
        "Rejects an old signed introspection response unless the caller lifts the age limit",
        .covers(161),
        arguments: [
            (0, 60, "accepted"), (-359, 60, "accepted"), (-361, 60, "jwt.time"), (-86_400, 60, "jwt.time"),
            (-315_360_000, 60, "jwt.time"), (-315_360_000, nil, "accepted"),
        ] as [(Double, Int?, String)]
    )
    func replay(_ age: Double, _ limit: Int?, _ expected: String) {
        let issuedAt = 1_700_000_000 + Int64(age)
        #expect(outcome { try Self.signed(["iat": "\(issuedAt)"], issuedAtLimit: limit) } == expected)
    }

    @Test("Rejects an unsigned response to a signed introspection request")
    func plainForSigned() throws {
        let request = try SignedIntrospectionRequest(Secret("t"), at: Self.endpoint())
        let body = Array(#"{"active":true}"#.utf8)
        for type in ["application/json", "application/jwt", nil] {
            #expect(outcome { try request.decode(Example.json(type: type), body: body) } == "introspection.format")
        }
        let signed = Example.json(type: "Application/Token-Introspection+JWT; x=y")
        #expect(outcome { try request.decode(signed, body: Array("a.b.c".utf8)) } == "accepted")
        #expect(outcome { try request.decode(Example.json(.forbidden), body: []) } == "HTTPStatusError 403")
    }
}
