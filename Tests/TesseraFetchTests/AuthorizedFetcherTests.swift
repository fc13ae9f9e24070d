// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Authorized calls")
struct AuthorizedFetcherTests {
    static let url = "https://api.example/files?q=1"

    @Test(
        "Sends the token only in the Authorization header, which it replaces",
        .covers(61, 120)
    )
    func header() async throws {
        let network = ScriptedTransport([.json("{}")])
        var request = try HTTPRequest(url: Self.url)
        request.headerFields = [.authorization: "Basic mine", .accept: "x/y"]
        request.headerFields.append(HTTPField(name: .authorization, value: "Bearer mine"))
        let fetcher = AuthorizedFetcher(try ScriptedSource(), transport: network)
        let (response, _) = try await fetcher.send(request, body: HTTPBody("hello"))
        #expect(response.status == .ok)
        let sent = network.requests[0]
        #expect(sent.head.headerFields[values: .authorization] == ["Bearer token-1"])
        #expect(sent.head.headerFields[.accept] == "x/y")
        #expect(sent.url == Self.url)
        #expect(sent.text == "hello")
        var others = sent.head.headerFields
        others[.authorization] = nil
        #expect(!"\(others)\(sent.url)\(sent.text)".contains("token-1"))
    }

    @Test(
        "Rejects a call to an unauthorized origin before it reads a token",
        .covers(120),
        .shows(claims: 31),
        arguments: [
            "http://api.example/", "https://api.example:8443/", "https://evil.example/",
            "https://api.example.evil.example/",
            "https://evilapi.example/", "https://sub.api.example/", "http://127.0.0.1/", "https://api.example./",
            "http://api.example:443/", "https://wild.example/", "https://.wild.example/", "https://a.wild.example:444/",
        ]
    )
    func otherOrigins(_ url: String) async throws {
        let network = ScriptedTransport([.json("{}")])
        let source = try ScriptedSource(["https://api.example", "https://*.wild.example"])
        let fetcher = AuthorizedFetcher(source, transport: network)
        let request =
            (try? HTTPRequest(url: url))
            ?? HTTPRequest(method: .get, scheme: "https", authority: ".wild.example", path: "/")
        await #expect(throws: UnauthorizedOriginError.self) { try await fetcher.send(request) }
        #expect(source.journal.isEmpty)
        #expect(network.requests.isEmpty)
    }

    @Test(
        "Rejects authorities with user info, invalid characters or missing parts",
        .covers(120),
        arguments: [
            ("https", "api.example@evil.example"), ("https", "evil.example#api.example"),
            ("https", "api.example/.evil.example"),
            ("https", "api.example:443@evil.example"), ("https", nil), (nil, "api.example"), ("https", ""),
            ("HTTPS", "x"),
            ("https", "api.example:"), ("https", "api.example\\@evil.example"), ("ftp", "api.example"),
        ] as [(String?, String?)]
    )
    func oddAuthorities(scheme: String?, authority: String?) async throws {
        let network = ScriptedTransport([])
        let source = try ScriptedSource()
        let fetcher = AuthorizedFetcher(source, transport: network)
        let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/")
        await #expect(throws: UnauthorizedOriginError.self, "\(scheme ?? "-") \(authority ?? "-")") {
            try await fetcher.send(request)
        }
        #expect(source.journal.isEmpty)
        #expect(network.requests.isEmpty)
    }

    @Test(
        "Authorizes an origin in any case, with its default port, and the subdomains of a wildcard",
        .covers(120)
    )
    func authorizedOrigins() async throws {
        let network = ScriptedTransport { _ in .json("{}") }
        let source = try ScriptedSource(["https://api.example", "https://*.wild.example", "http://127.0.0.1:8080"])
        let fetcher = AuthorizedFetcher(source, transport: network)
        for url in [
            "https://api.example", "https://API.example/x", "https://api.example:443/", "https://a.b.wild.example/",
            "http://127.0.0.1:8080/",
        ] {
            _ = try await fetcher.send(HTTPRequest(url: url))
        }
        #expect(network.requests.count == 5)
    }

    @Test("Rejects a URL that contains an access token", .covers(120))
    func tokenInURL() async throws {
        let network = ScriptedTransport([])
        let source = try ScriptedSource()
        let request = try HTTPRequest(url: "https://api.example/x?a=b&access_token=secret")
        let error = await #expect(throws: InvalidRequestError.self) {
            try await AuthorizedFetcher(source, transport: network).send(request)
        }
        #expect(error.map { "\($0)" }?.contains("secret") == false)
        #expect(source.journal.isEmpty)
    }

    @Test(
        "Returns a redirect to another origin without following it",
        .covers(60, 120),
        .shows(claims: 32),
        arguments: [
            "https://evil.example/", "http://api.example/", "//evil.example/", "https://api.example:444/",
            "https://api.example@evil.example/",
            "ftp://api.example/", "https://sub.api.example/", "javascript:alert(1)", "/\\evil.example", "",
        ],
        [301, 302, 303, 307, 308]
    )
    func crossOriginRedirect(_ location: String, status: Int) async throws {
        let network = ScriptedTransport([.status(.init(code: status), headerFields: [.location: location])])
        let fetcher = AuthorizedFetcher(try ScriptedSource(), transport: network)
        let (response, _) = try await fetcher.send(HTTPRequest(url: Self.url))
        #expect(response.status.code == status)
        #expect(network.requests.count == 1)
    }

    @Test("Follows up to five redirects within the origin, for GET and HEAD only", .covers(120))
    func sameOriginRedirect() async throws {
        let endless = ScriptedTransport { _ in .status(.found, headerFields: [.location: "/next"]) }
        let fetcher = AuthorizedFetcher(try ScriptedSource(), transport: endless)
        let (last, _) = try await fetcher.send(HTTPRequest(url: Self.url))
        #expect(last.status == .found)
        #expect(endless.requests.count == 6)
        #expect(endless.requests.allSatisfy { $0.head.authority == "api.example" })
        #expect(endless.requests.allSatisfy { $0.head.headerFields[.authorization] == "Bearer token-1" })
        for method in [HTTPRequest.Method.post, .put, .delete, .patch] {
            _ = try await fetcher.send(HTTPRequest(method: method, url: Self.url), body: HTTPBody("x"))
        }
        #expect(endless.requests.count == 10)

        let network = ScriptedTransport([
            .status(.permanentRedirect, headerFields: [.location: "https://API.example:443/b?c=d#e"]), .json("{}"),
        ])
        let (response, _) = try await AuthorizedFetcher(try ScriptedSource(), transport: network)
            .send(HTTPRequest(method: .head, url: Self.url))
        #expect(response.status == .ok)
        #expect(network.requests.map(\.url) == [Self.url, "https://api.example/b?c=d"])
        #expect(network.requests.allSatisfy { $0.head.method == .head })
    }

    @Test("Retries once with a new token after a 401", .covers(117))
    func refusal() async throws {
        let network = ScriptedTransport { request in
            request.head.headerFields[.authorization] == "Bearer token-1" ? .status(.unauthorized) : .json("{}")
        }
        let source = try ScriptedSource()
        let (response, _) = try await AuthorizedFetcher(source, transport: network)
            .send(HTTPRequest(method: .post, url: Self.url), body: HTTPBody("hello"))
        #expect(response.status == .ok)
        #expect(source.journal == ["token", "rejected"])
        #expect(network.requests.map(\.text) == ["hello", "hello"])

        let stubborn = ScriptedTransport { _ in .status(.unauthorized) }
        let (rejected, _) = try await AuthorizedFetcher(try ScriptedSource(), transport: stubborn)
            .send(HTTPRequest(url: Self.url))
        #expect(rejected.status == .unauthorized)
        #expect(stubborn.requests.count == 2)
    }

    @Test(
        "Requests no new token after a 403 or for insufficient_scope",
        .covers(117),
        arguments: [HTTPResponse.Status.unauthorized, .forbidden]
    )
    func insufficientScope(status: HTTPResponse.Status) async throws {
        let challenge: HTTPFields = [
            .wwwAuthenticate: #"Basic realm="x", Bearer error="insufficient_scope", scope="a b""#
        ]
        let network = ScriptedTransport([.status(status, headerFields: challenge)])
        let source = try ScriptedSource()
        let (response, _) = try await AuthorizedFetcher(source, transport: network).send(HTTPRequest(url: Self.url))
        #expect(response.status == status)
        #expect(source.journal == ["token"])
    }

    @Test("Returns a 401 without a retry if there is no other token", .covers(117))
    func nothingBetter() async throws {
        let network = ScriptedTransport { _ in .status(.unauthorized) }
        let source = try ScriptedSource(hasNewer: false)
        let (response, _) = try await AuthorizedFetcher(source, transport: network).send(HTTPRequest(url: Self.url))
        #expect(response.status == .unauthorized)
        #expect(network.requests.count == 1)
    }

    @Test("Does not resend a body that can be read only once, but renews the token for the next call", .covers(117))
    func oneShotBody() async throws {
        let network = ScriptedTransport { _ in .status(.unauthorized) }
        let source = try ScriptedSource()
        let fetcher = AuthorizedFetcher(source, transport: network)
        let isRead = Mutex(false)
        let body = HTTPBody(length: nil, isReplayable: false) {
            {
                isRead.withLock { isRead in
                    defer { isRead = true }
                    return isRead ? nil : [1, 2, 3]
                }
            }
        }
        let (response, _) = try await fetcher.send(HTTPRequest(method: .post, url: Self.url), body: body)
        #expect(response.status == .unauthorized)
        #expect(network.requests.count == 1)
        #expect(source.journal == ["token", "rejected"])
        _ = try await fetcher.send(HTTPRequest(url: Self.url))
        #expect(network.requests[1].head.headerFields[.authorization] == "Bearer token-2")
    }

    @Test("Returns the body of a success from data(for:), and otherwise throws the API's error")
    func data() async throws {
        let challenge: HTTPFields = [.wwwAuthenticate: #"Bearer error="insufficient_scope", scope="drive""#]
        let network = ScriptedTransport([
            .json("[1]"), .status(.forbidden, headerFields: challenge), .status(.notFound), .status(.found),
            .json("[1, 2]"),
        ])
        let fetcher = AuthorizedFetcher(try ScriptedSource(), transport: network)
        let request = try HTTPRequest(url: Self.url)
        #expect(try await fetcher.data(for: request) == Array("[1]".utf8))
        let refusal = await #expect(throws: BearerChallengeError.self) { try await fetcher.data(for: request) }
        #expect(refusal?.status == 403)
        #expect(refusal?.scope == ["drive"])
        await #expect(throws: HTTPStatusError(status: 404, endpoint: "API")) { try await fetcher.data(for: request) }
        await #expect(throws: HTTPStatusError(status: 302, endpoint: "API")) { try await fetcher.data(for: request) }
        await #expect { try await fetcher.data(for: request, upTo: 5) } throws: {
            TransportError.Code.bodyTooLarge ~= $0
        }
    }

    @Test(
        "Rejects invalid request URLs",
        arguments: [
            "", "/x", "api.example/x", "https:///x", "https://a@api.example/", "ftp://api.example/",
            "https://api.example/ x", "https://é.example/",
        ]
    )
    func badURLs(_ url: String) {
        #expect(throws: InvalidRequestError.self) { try HTTPRequest(url: url) }
    }
}
