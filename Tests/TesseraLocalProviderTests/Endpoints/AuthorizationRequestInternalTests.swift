// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TestTraits
internal import Testing
@testable internal import TesseraLocalProvider

@Suite("Authorization endpoint of the local provider")
struct AuthorizationRequestInternalTests {
    /// A parameter, its invalid value, and the expected error code and status.
    static let refused: [(String, String?, String, Int)] = [
        ("client_id", nil, "invalid_request", 400),
        ("client_id", "", "invalid_request", 400),
        ("client_id", "nobody", "invalid_client", 401),
        ("redirect_uri", nil, "invalid_request", 400),
        ("redirect_uri", "https://evil.example/callback", "redirect_uri_mismatch", 400),
        ("response_type", nil, "invalid_request", 400),
        ("response_type", "token", "unsupported_response_type", 400),
        ("response_type", "code id_token", "unsupported_response_type", 400),
        ("response_mode", "fragment", "invalid_request", 400),
        ("access_type", "sometimes", "invalid_request", 400),
        ("request", "e30.e30.", "request_not_supported", 400),
        ("request_uri", "urn:x", "request_not_supported", 400),
        ("scope", nil, "invalid_request", 400),
        ("scope", "openid nonsense", "invalid_scope", 400),
        ("code_challenge", nil, "invalid_request", 400),
        ("code_challenge", "short", "invalid_request", 400),
        ("code_challenge", String(repeating: "=", count: 43), "invalid_request", 400),
        ("code_challenge_method", nil, "invalid_request", 400),
        ("code_challenge_method", "plain", "invalid_request", 400),
        ("prompt", "none consent", "invalid_request", 400),
        ("prompt", "perhaps", "invalid_request", 400),
        ("max_age", "-1", "invalid_request", 400),
        ("max_age", "99999999999999999999", "invalid_request", 400),
    ]

    @Test(
        "Shows an error page for an invalid request and never redirects",
        .covers(7, 11, 17, 22),
        arguments: refused
    )
    func faults(parameter: String, value: String?, code: String, status: Int) throws {
        var provider = try ProviderUnderTest()
        let page = provider.authorize([parameter: value])
        #expect(page.status.code == status)
        #expect(page.headers[.location] == nil)
        #expect(page.headers[.contentType] == "text/html; charset=utf-8")
        #expect(page.text.contains("Error \(status): \(code)"))
    }

    @Test(
        "Rejects a repeated parameter with an error page",
        .covers(19, 28),
        arguments: ["state", "redirect_uri", "client_id", "scope"]
    )
    func repetition(name: String) throws {
        var provider = try ProviderUnderTest()
        let query = ProviderUnderTest.form(provider.query() + [(name, "again")])
        let page = provider.send(.get, "/o/oauth2/v2/auth?" + query)
        #expect(page.status == .badRequest)
        #expect(page.text.contains("invalid_request"))
        #expect(page.headers[.location] == nil)
    }

    @Test("Rejects a malformed query", .covers(38), arguments: ["%", "a=%zz", "a=%C3%28", "%4", "scope=%f"])
    func malformedQuery(query: String) throws {
        var provider = try ProviderUnderTest()
        #expect(provider.send(.get, "/o/oauth2/v2/auth?" + query).status == .badRequest)
    }

    @Test(
        "Accepts any port and path of a loopback redirect for a desktop client",
        .covers(23, 53),
        arguments: [
            "http://127.0.0.1", "http://127.0.0.1:1/", "http://127.0.0.1:65535/a/b?c=d", "http://[::1]:8080/cb",
            "http://localhost:9/", "http://localhost",
        ]
    )
    func loopbackRedirect(uri: String) throws {
        var provider = try ProviderUnderTest()
        #expect(provider.authorize(["redirect_uri": uri]).status == .ok)
    }

    @Test(
        "Rejects an address that only resembles a loopback address",
        .covers(36),
        arguments: [
            "http://127.0.0.1.evil.example/", "http://127.0.0.1@evil.example/", "http://127.0.0.1:1@evil.example/",
            "http://localhost.evil.example", "http://localhostevil", "http://127.0.0.1:0/", "http://127.0.0.1:65536/",
            "http://127.0.0.1:/", "http://127.0.0.1:8a/", "http://127.0.0.1:1/#f", "https://127.0.0.1:1/",
            "http://127.0.0.2:1/", "http://[::2]:1/", "HTTP://127.0.0.1/", "http://127.0.0.1:1\\@evil.example/",
            "http://127.0.0.1:+80/", "http://127.0.0.1/\u{e9}", "http://127.0.0.1/ x", "javascript:alert(1)",
        ]
    )
    func falseLoopback(uri: String) throws {
        var provider = try ProviderUnderTest()
        let page = provider.authorize(["redirect_uri": uri])
        #expect(page.status == .badRequest)
        #expect(page.text.contains("redirect_uri_mismatch"))
    }

    @Test(
        "Matches a web client's redirect URI exactly",
        arguments: [
            ("https://app.example/cb", true), ("https://app.example/cb/", false), ("https://app.example/cb?x=1", false),
            ("https://APP.example/cb", false), ("http://127.0.0.1:50123/callback", false),
        ]
    )
    func webRedirect(uri: String, isAccepted: Bool) throws {
        var provider = try ProviderUnderTest { $0.clients = [.web(redirectURIs: ["https://app.example/cb"])] }
        #expect((provider.authorize(["redirect_uri": uri]).status == .ok) == isAccepted)
    }

    @Test("Escapes request text in pages", .covers(51))
    func escaping() throws {
        let hostile = "<script>alert('1')</script>\"&"
        var provider = try ProviderUnderTest { $0.clients[0].name = hostile }
        let pages = [
            provider.authorize(), provider.authorize(["login_hint": "ada@example.com"]),
            provider.authorize(["redirect_uri": hostile]), provider.authorize(["client_id": hostile]),
            provider.authorize(["scope": hostile]), provider.authorize(["hd": hostile]),
        ]
        for page in pages {
            #expect(page.text.contains("&lt;script&gt;"))
            #expect(!page.text.contains("<script"))
        }
    }

    @Test("Serves pages with no-store and a strict content security policy")
    func pageHeaders() throws {
        var provider = try ProviderUnderTest()
        let page = provider.authorize(["login_hint": "ada@example.com"])
        let policy = try #require(page.headers[.contentSecurityPolicy])
        #expect(page.headers[.cacheControl] == "no-store")
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        #expect(policy.contains("form-action 'self' http://127.0.0.1:50123;"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
    }

    @Test("Accepts only GET and form POST requests at the authorization endpoint")
    func methods() throws {
        var provider = try ProviderUnderTest()
        #expect(provider.post("/o/oauth2/v2/auth", provider.query()).status == .ok)
        #expect(provider.send(.delete, "/o/oauth2/v2/auth").status == .methodNotAllowed)
        #expect(provider.send(.post, "/o/oauth2/v2/auth", body: "{}").status == .methodNotAllowed)
    }
}
#endif
