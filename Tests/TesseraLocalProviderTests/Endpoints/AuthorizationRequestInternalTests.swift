// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TestTraits
internal import Testing
@testable internal import TesseraLocalProvider

@Suite("The authorization endpoint")
struct AuthorizationRequestInternalTests {
    /// A parameter, the value that it is changed to, and the error that the page names.
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
        "A request with a fault gets a page that names it, and is never redirected",
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
        "A repeated parameter is refused on a page",
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

    @Test("A query that is no form is refused", .covers(38), arguments: ["%", "a=%zz", "a=%C3%28", "%4", "scope=%f"])
    func malformedQuery(query: String) throws {
        var provider = try ProviderUnderTest()
        #expect(provider.send(.get, "/o/oauth2/v2/auth?" + query).status == .badRequest)
    }

    @Test(
        "A desktop client is answered at any port and path of a loopback address",
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
        "An address that only looks like loopback is refused",
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
        "A web client's redirect URI matches exactly or not at all",
        arguments: [
            ("https://app.example/cb", true), ("https://app.example/cb/", false), ("https://app.example/cb?x=1", false),
            ("https://APP.example/cb", false), ("http://127.0.0.1:50123/callback", false),
        ]
    )
    func webRedirect(uri: String, isGood: Bool) throws {
        var provider = try ProviderUnderTest { $0.clients = [.web(redirectURIs: ["https://app.example/cb"])] }
        #expect((provider.authorize(["redirect_uri": uri]).status == .ok) == isGood)
    }

    @Test("Text of the request is escaped on the pages", .covers(51))
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

    @Test("Pages are not stored, framed, or scripted, and their forms lead home or to the client")
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

    @Test("The authorization endpoint takes GET and forms, nothing else")
    func methods() throws {
        var provider = try ProviderUnderTest()
        #expect(provider.post("/o/oauth2/v2/auth", provider.query()).status == .ok)
        #expect(provider.send(.delete, "/o/oauth2/v2/auth").status == .methodNotAllowed)
        #expect(provider.send(.post, "/o/oauth2/v2/auth", body: "{}").status == .methodNotAllowed)
    }
}
#endif
