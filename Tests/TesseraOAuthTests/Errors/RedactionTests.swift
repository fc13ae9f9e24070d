// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Redaction of secrets")
struct RedactionTests {
    private static let canary = "CANARY-7f3a9"

    /// The texts that a log, a debugger and a failed expectation print for a value.
    private static func renderings(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [
            "\(value)", String(describing: value), String(reflecting: value), dumped, "\([value])",
            "\(Optional.some(value) as Any)",
        ]
    }

    /// Returns the first rendering that contains a secret as text, as base64url or as a list of bytes.
    private static func leak(_ value: Any, of secrets: [String] = [Self.canary]) -> String? {
        let forms = secrets.flatMap { secret in
            [
                secret, Base64URL.encode(secret.utf8), secret.utf8.map { String($0) }.joined(separator: ", "),
                secret.utf8.prefix(6).map { "- \($0)\n" }.joined(separator: "  "),
            ]
        }
        return Self.renderings(value).first { text in forms.contains { text.contains($0) } }
    }

    @Test("No rendering of a secret contains its value", .covers(124))
    func secret() {
        #expect(Self.leak(Secret(Self.canary)) == nil)
        #expect(Self.leak(Self.canary) != nil)
        #expect(Self.leak(Array(Self.canary.utf8)) != nil)
        #expect(Secret(Self.canary).withUnredacted { $0 } == Self.canary)
    }

    /// One value of each type that carries secrets, with the canary as every secret.
    private static func values() throws -> [any Sendable] {
        let secret = Secret(self.canary)
        let client = OAuthClient(clientID: "client", clientSecret: secret)
        let endpoint = try Endpoint("https://as.example/token", name: "token_endpoint")
        let response = try #require(try Example.pending().code(self.canary))
        let quoted = "\"\(self.canary)\""
        let body = Example.response(["access_token": quoted, "refresh_token": quoted, "id_token": quoted, "x": quoted])
        let code = TokenRequest.authorizationCode(response)
        let refresh = TokenRequest.refresh(secret, at: endpoint)
        var form = FormParameters()
        form.append("x", self.canary)
        let policy = try IDTokens.policy { policy in
            policy.accessToken = secret
            policy.code = secret
            policy.nonce = .equal(secret)
        }
        return [
            client, response, code, refresh,
            try code.decode(Example.json(), body: Array(body.utf8)),
            RevocationRequest.refreshToken(secret, at: endpoint), RevocationRequest.accessToken(secret, at: endpoint),
            try code.message(client: client), try refresh.message(client: client),
            try refresh.message(client: client, supportedAuthenticationMethods: ["client_secret_post"]),
            UserInfoRequest(secret, at: endpoint, subject: nil),
            try UserInfoRequest(secret, at: endpoint, subject: nil).message(client: client), form,
            HTTPBody(self.canary),
            policy,
            response.nonceRule,
        ]
    }

    @Test("No rendering of a protocol value contains its secrets", .covers(124))
    func valuesRedacted() throws {
        for value in try Self.values() {
            #expect(Self.leak(value) == nil, "\(type(of: value))")
        }
    }

    @Test("Redacts the verifier, state, nonce and Basic credentials", .covers(124))
    func derived() throws {
        let pending = try Example.pending()
        let response = try #require(try pending.code())
        let request = TokenRequest.authorizationCode(response)
        let client = OAuthClient(clientID: "client", clientSecret: Secret(Self.canary))
        let message = try request.message(client: client)
        let verifier = try #require(message.form("code_verifier").first)
        let secrets = [verifier] + pending.sent("state") + pending.sent("nonce")
        #expect(secrets.count == 3)
        for value in [CodeVerifier { _ in [] }, pending, response, response.nonceRule, request, message]
            as [any Sendable]
        {
            #expect(Self.leak(value, of: secrets) == nil, "\(type(of: value))")
        }
        let basic = try #require(message.request.headerFields[.authorization]).dropFirst(6)
        #expect(Self.leak(message, of: [String(basic)]) == nil)
    }

    @Test("Redacts ID tokens, their signatures and signing keys", .covers(124))
    func idToken() throws {
        let token = try IDTokens.token()
        let parts = token.withUnredacted { $0.split(separator: ".").map(String.init) }
        let validated = try IDTokens.validate(token)
        #expect(Self.leak(validated, of: [parts[2]]) == nil)
        #expect(Self.leak(token, of: parts) == nil)
        #expect(Self.leak(try IDTokens.key.get(), of: [try IDTokens.key.get().pemRepresentation]) == nil)
    }

    @Test("No error about a token response contains a token", .covers(124))
    func tokenErrors() throws {
        let quoted = "\"\(Self.canary)\""
        let request = TokenRequest.authorizationCode(try #require(try Example.pending().code(Self.canary)))
        let base = Example.response(["access_token": quoted, "refresh_token": quoted, "id_token": quoted])
        for changes in [
            ["access_token": "[\(quoted)]"], ["access_token": "\"\(Self.canary)\\n\""], ["token_type": "\"mac\""],
            ["expires_in": quoted], ["refresh_token": "{\(quoted):\(quoted)}"], ["id_token": "[\(quoted)]"],
            ["scope": "[\(quoted)]"],
            ["error": quoted], ["id_token": ""], ["\(Self.canary)\",\"x": quoted, "x": quoted],
            ["refresh_token_expires_in": quoted],
        ] {
            let tokens = ["access_token": quoted, "refresh_token": quoted, "id_token": quoted]
            let body = Example.response(tokens.merging(changes) { $1 })
            let error = #expect(throws: (any Error).self) {
                try request.decode(Example.json(), body: Array(body.utf8))
            }
            #expect(Self.leak(error as Any) == nil, "\(changes)")
        }
        for body in [base + "x", String(base.dropLast()), "[\(base)]", quoted, Self.canary] {
            for response in [Example.json(), Example.json(.badRequest), Example.json(type: "text/html")] {
                let error = #expect(throws: (any Error).self) { try request.decode(response, body: Array(body.utf8)) }
                #expect(Self.leak(error as Any) == nil, "\(body)")
            }
        }
    }

    @Test(
        "No error about a token sent as a number contains it",
        .covers(124, 69),
        arguments: ["access_token", "refresh_token", "id_token"]
    )
    func numericToken(_ name: String) throws {
        let request = TokenRequest.authorizationCode(try #require(try Example.pending().code()))
        let body = Example.response(["id_token": "\"x\""].merging([name: "8675309123"]) { $1 })
        let error = #expect(throws: (any Error).self) { try request.decode(Example.json(), body: Array(body.utf8)) }
        #expect(Self.leak(error as Any, of: ["8675309123"]) == nil)
    }

    @Test(
        "No error about a redirect contains its code or tokens",
        .covers(124),
        arguments: [
            "state=STATE&code=\(Self.canary)%0A", "state=STATE&code=\(Self.canary)&access_token=\(Self.canary)",
            "state=STATE&response=\(Self.canary)",
            "state=STATE&code=\(Self.canary)&iss=https://evil.example",
            "state=STATE&code=\(Self.canary)&code=\(Self.canary)",
            "state=\(Self.canary)&code=\(Self.canary)", "code=\(Self.canary)", "state=STATE&code=\(Self.canary)&x=%zz",
            "state=STATE&code=\(Self.canary)&x=%00",
            "state=STATE&code=\(Self.canary)&error=access_denied",
        ]
    )
    func redirectErrors(query: String) throws {
        let canary = Self.canary
        let pending = try Example.pending()
        do {
            _ = try pending.response(query)
            Issue.record("accepted: \(query)")
        } catch {
            #expect(Self.leak(error) == nil, "\(query)")
        }
        let state = try #require(pending.sent("state").first)
        do {
            let again = try #require(try pending.response("state=STATE&code=\(canary)"))
            #expect(Self.leak(again, of: [canary, state]) == nil)
        } catch {
            #expect(Self.leak(error, of: [canary, state]) == nil)
        }
    }

    @Test(
        "No error about an ID token contains the token, its nonce or a hash",
        .covers(124),
        arguments: [
            ["nonce": "\"\(Self.canary)\""], ["at_hash": "\"\(Self.canary)\""], ["sub": "[\"\(Self.canary)\"]"],
            ["exp": "\"\(Self.canary)\""], ["aud": "[]"], ["iss": "[\"\(Self.canary)\"]"],
        ]
    )
    func idTokenErrors(changes: [String: String]) throws {
        let token = try IDTokens.token(changes)
        let error = #expect(throws: (any Error).self) {
            try IDTokens.validate(token) { $0.accessToken = Secret("a") }
        }
        let parts = token.withUnredacted { $0.split(separator: ".").map(String.init) }
        #expect(Self.leak(error as Any, of: [Self.canary] + parts) == nil, "\(changes)")
    }

    @Test(
        "No error about a malformed ID token contains its text",
        .covers(124),
        arguments: [Self.canary, "\(Self.canary).a.b", "a.\(Self.canary).b", "\(base64URL(Self.canary)).e30.e30"]
    )
    func noIDToken(text: String) {
        let error = #expect(throws: (any Error).self) { try IDTokens.validate(Secret(text)) }
        #expect(Self.leak(error as Any) == nil)
    }

    @Test("No error about user information, keys or a client contains their values", .covers(124))
    func otherErrors() throws {
        let endpoint = try Endpoint("https://as.example/userinfo", name: "userinfo_endpoint")
        let request = UserInfoRequest(Secret(Self.canary), at: endpoint, subject: "subject")
        for body in [
            Self.canary, "{\"sub\":[\"\(Self.canary)\"]}", "{\"sub\":\"\(Self.canary)\"}", "{\"\(Self.canary)\":1}",
        ] {
            let error = #expect(throws: (any Error).self) { try request.decode(Example.json(), body: Array(body.utf8)) }
            #expect(Self.leak(error as Any) == nil)
        }
        for body in [Self.canary, "{\"keys\":\"\(Self.canary)\"}", "{\"keys\":[\"\(Self.canary)\"]}"] {
            let error = #expect(throws: (any Error).self) { try JWKSet(parsing: Array(body.utf8)) }
            #expect(Self.leak(error as Any) == nil)
        }
        let error = #expect(throws: (any Error).self) {
            try Example.pending(additionalParameters: ["client_secret": Self.canary])
        }
        #expect(Self.leak(error as Any) == nil)
    }

    @Test(
        "Redacts a secret that an error response repeats, even when decoding it directly",
        .covers(124),
        .shows(claims: 43)
    )
    func repeated() throws {
        let endpoint = try Endpoint("https://as.example/token", name: "token_endpoint")
        let secret = Secret(Self.canary)
        let body = Array("{\"error\":\"\(Self.canary)\",\"error_description\":\"no: \(Self.canary)\"}".utf8)
        let (refresh, introspection) = (TokenRequest.refresh(secret), IntrospectionRequest(secret, at: endpoint))
        let revocation = RevocationRequest.refreshToken(secret, at: endpoint)
        let responses: [() throws -> Void] = [
            { _ = try refresh.decode(Example.json(.badRequest), body: body) },
            { _ = try introspection.decode(Example.json(.badRequest), body: body) },
            { try revocation.decode(Example.json(.badRequest), body: body) },
        ]
        for decode in responses {
            let error = #expect(throws: OAuthError.self) { try decode() }
            #expect(Self.leak(error as Any) == nil)
        }
    }
}
