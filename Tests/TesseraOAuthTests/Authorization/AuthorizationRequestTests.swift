// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Authorization request")
struct AuthorizationRequestTests {
    @Test("Each request has its own verifier, challenge, state and nonce", .covers(16))
    func fresh() throws {
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]))
        let attempts = [try Example.pending(runtime: runtime), try Example.pending(runtime: runtime)]
        for name in ["state", "nonce", "code_challenge"] {
            let values = attempts.flatMap { $0.sent(name) }
            #expect(values.count == 2)
            #expect(Set(values).count == 2)
        }
        let verifiers = try attempts.flatMap { pending in
            try TokenRequest.authorizationCode(try #require(try pending.code()))
                .message(client: Example.client)
                .form("code_verifier")
        }
        #expect(verifiers.count == 2)
        #expect(Set(verifiers).count == 2)
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        for verifier in verifiers {
            #expect((43...128).contains(verifier.count))
            #expect(unreserved.isSuperset(of: verifier))
        }
        let all = Set(verifiers + attempts.flatMap { $0.sent("state") + $0.sent("nonce") + $0.sent("code_challenge") })
        #expect(all.count == 8, "No random value is used twice.")
    }

    @Test("Does not fall back to a weaker method when the provider rejects S256", .covers(17))
    func noDowngrade() throws {
        let pending = try Example.pending()
        #expect(pending.result(of: "error=invalid_request&state=STATE") == "OAuthError invalid_request")
        #expect(pending.result(of: "code=c&state=STATE") == "redirect.reuse")
        #expect(try Example.pending().sent("code_challenge_method") == ["S256"])
    }

    @Test(
        "Preserves the endpoint's own query",
        .covers(18),
        arguments: [
            ("https://as.example/authorize?p=b2c", "https://as.example/authorize?p=b2c&response_type=code&"),
            ("https://as.example/authorize?", "https://as.example/authorize?response_type=code&"),
            ("https://as.example/authorize", "https://as.example/authorize?response_type=code&"),
            ("https://as.example?p=%C3%A9+x", "https://as.example?p=%C3%A9+x&response_type=code&"),
        ]
    )
    func endpointQuery(endpoint: String, start: String) throws {
        let metadata = try Example.metadata(["authorization_endpoint": "\"\(endpoint)\""])
        #expect(try Example.pending(metadata).authorizationURL.hasPrefix(start))
    }

    @Test(
        "Rejects an endpoint whose query is malformed or has a reserved parameter",
        .covers(18, 19),
        arguments: [
            ("state=x", "InvalidRequestError state"), ("p=1&response_type=token", "InvalidRequestError response_type"),
            ("%73tate=x", "InvalidRequestError state"), ("p=%zz", "metadata.endpoint"),
            ("p=%C3%28", "metadata.endpoint"),
            ("p=%00", "metadata.endpoint"),
        ]
    )
    func endpointConflict(query: String, expected: String) throws {
        let metadata = try Example.metadata(["authorization_endpoint": "\"https://as.example/authorize?\(query)\""])
        #expect(outcome { try Example.pending(metadata) } == expected)
    }

    @Test(
        "Rejects an additional parameter that the request sets itself",
        .covers(19, 22),
        arguments: [
            "state", "client_id", "redirect_uri", "code_challenge", "code_challenge_method", "request_uri", "request",
            "nonce", "response_type", "response_mode", "scope", "client_secret", "code_verifier", "prompt", "max_age",
            "login_hint", "access_token", "id_token", "refresh_token", "code", "grant_type",
            "display", "id_token_hint", "claims", "resource", "authorization_details",
        ]
    )
    func reserved(_ name: String) {
        #expect(outcome { try Example.pending(additionalParameters: [name: "x"]) } == "InvalidRequestError \(name)")
    }

    @Test("Sends additional parameters, and each parameter only once", .covers(19))
    func once() throws {
        let pending = try Example.pending(scopes: [.openID, .email, .openID], additionalParameters: ["hd": "a b&c=d"])
        #expect(Set(pending.sent.map(\.name)).count == pending.sent.count)
        #expect(pending.sent("scope") == ["openid email"])
        #expect(pending.sent("hd") == ["a b&c=d"])
    }

    @Test(
        "Encodes any text so that a form decoder restores it",
        .covers(20),
        arguments: ["a+b c&d", "\u{E9}\u{1F600}", "=&?#%+", "x y", "%41", "a\u{0}b", "\r\n", "~-._", "e\u{301}"]
    )
    func encoding(_ text: String) throws {
        let sent = try Example.pending(additionalParameters: ["x": text]).sent("x")
        #expect(sent.map { Array($0.utf8) } == [Array(text.utf8)])
    }

    @Test("Encodes scopes with a plus sign or an ampersand", .covers(20))
    func scopeEncoding() throws {
        let pending = try Example.pending(scopes: ["a+b", "c&d", "https://api.example/x.y"])
        #expect(pending.sent("scope") == ["a+b c&d https://api.example/x.y"])
        #expect(pending.authorizationURL.contains("scope=a%2Bb+c%26d+https%3A%2F%2Fapi.example%2Fx.y&"))
    }

    @Test(
        "Rejects text that is not a valid scope",
        .covers(21),
        .shows(claims: 40),
        arguments: ["", " ", "a b", "\"", "a\"b", "\\", "a\nb", "\t", "\u{7F}", "\u{E9}", "a\u{0}"]
    )
    func scopeForm(_ scope: String) {
        #expect(outcome { try Example.pending(scopes: [.openID, Scope(scope)]) } == "InvalidRequestError scope")
    }

    @Test("Uses the response type code by default", .covers(22))
    func responseType() throws {
        #expect(try Example.pending().sent("response_type") == ["code"])
        #expect(try Example.pending().sent("response_mode") == [])
    }

    @Test(
        "Accepts only https, private-scheme and loopback redirect URIs",
        .covers(23, 24),
        arguments: [
            ("https://app.example/cb", true), ("com.example.app:/cb", true), ("com.example.app://cb", true),
            ("http://127.0.0.1/cb", true), ("http://127.0.0.1:5000", true), ("http://[::1]:5000/cb", true),
            ("http://127.8.9.10:1/", true), ("http://localhost:5000/cb", true),
            ("http://example.com/cb", false), ("myapp:", false), ("myapp:/cb", false), ("javascript:alert(1)", false),
            ("urn:ietf:wg:oauth:2.0:oob", false), ("https:", false), ("https:/cb", false), ("/cb", false), ("", false),
            ("http://127.0.0.1.evil.example/cb", false), ("http://127.0.0.+1/cb", false), ("http://127.0.0.01/", false),
            ("http://127.1/cb", false), ("http://2130706433/cb", false), ("http://localhost.evil.example/", false),
            ("http://[::2]/cb", false), ("http://0.0.0.0/cb", false), ("http://user@127.0.0.1/cb", false),
            ("https://app.example/cb#x", false), ("https://app.example/cb#", false),
            ("https://u:p@app.example/", false),
            ("https://app.example/c b", false), ("https://app.example:70000/", false),
        ]
    )
    func redirectURI(uri: String, isValid: Bool) {
        #expect(outcome { try RedirectURI(uri) } == (isValid ? "accepted" : "InvalidRequestError redirect_uri"))
    }

    @Test("Distinguishes the name localhost from an address literal", .covers(23))
    func localhost() throws {
        #expect(try RedirectURI("http://LOCALHOST:5000/cb").usesLocalhostName)
        #expect(try !RedirectURI("http://127.0.0.1:5000/cb").usesLocalhostName)
        #expect(try !RedirectURI("http://[::1]:5000/cb").usesLocalhostName)
    }

    @Test("Sends a nonce of at most 64 characters only with openid", .covers(25))
    func nonce() throws {
        let nonce = try #require(try Example.pending().sent("nonce").first)
        #expect((22...64).contains(nonce.count))
        let without = try Example.pending(scopes: [.email])
        #expect(without.sent("nonce") == [])
        guard case .absent = try #require(try without.code()).nonceRule else {
            Issue.record("No nonce was sent, so the ID token must not have one.")
            return
        }
    }

    @Test("Requests consent for offline_access unless the caller sets another prompt")
    func offlineAccess() throws {
        func prompt(_ scopes: [Scope], _ prompt: [Prompt] = [], supported: String = "") throws -> [String] {
            let metadata = try Example.metadata(["prompt_values_supported": supported])
            let pending = try Example.pending(metadata, scopes: scopes) { $0.prompt = prompt }
            return pending.sent("prompt")
        }
        #expect(try prompt([.openID, .offlineAccess]) == ["consent"])
        #expect(try prompt([.openID, .email]).isEmpty)
        #expect(try prompt([.openID, .offlineAccess], [.login]) == ["login"])
        #expect(try prompt([.openID, .offlineAccess], [.none]) == ["none"])
        #expect(try prompt([.openID, .offlineAccess], supported: "[\"login\",\"consent\"]") == ["consent"])
        #expect(try prompt([.openID, .offlineAccess], supported: "[\"login\"]").isEmpty)
    }

    @Test("Rejects prompt none with other values and a negative max_age")
    func values() throws {
        var request = AuthorizationRequest(redirectURI: try RedirectURI(Example.redirectURI), scopes: [])
        func built() throws -> PendingAuthorization {
            try PendingAuthorization(
                request,
                metadata: Example.metadata(),
                client: Example.client,
                runtime: .testing(transport: ScriptedTransport([]))
            )
        }
        request.prompt = [.none, .login]
        #expect(outcome { try built() } == "InvalidRequestError prompt")
        request.prompt = [.login, .consent]
        request.maxAge = -1
        #expect(outcome { try built() } == "InvalidRequestError max_age")
        request.maxAge = 0
        #expect(try built().sent("max_age") == ["0"])
        #expect(try built().sent("prompt") == ["login consent"])
        #expect(try built().sent("scope") == [], "Without scopes, the parameter is omitted.")
    }
}
