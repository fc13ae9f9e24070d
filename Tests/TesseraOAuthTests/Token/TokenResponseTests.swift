// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("Token response")
struct TokenResponseTests {
    private static func read(
        _ body: String,
        _ response: HTTPResponse = Example.json(),
        requiresJSONContentType: Bool = true
    ) throws -> TokenResponse {
        let endpoint = try Endpoint("https://as.example/token", name: "token_endpoint")
        var request = TokenRequest.refresh(Secret("r"), at: endpoint)
        request.requiresJSONContentType = requiresJSONContentType
        return try request.decode(response, body: Array(body.utf8))
    }

    @Test(
        "Rejects an unknown token type and ignores the case of Bearer",
        .covers(67, 68),
        arguments: [
            ("\"Bearer\"", "accepted"), ("\"bEaReR\"", "accepted"), ("\"bearer\"", "accepted"), ("", "token.format"),
            ("null", "token.format"), ("\"\"", "token.format"), ("1", "token.format"), ("[\"Bearer\"]", "token.format"),
            ("\"mac\"", "token.type"), ("\"DPoP\"", "token.type"), ("\"N_A\"", "token.type"),
            ("\"Bearer \"", "token.type"),
            ("\"Bearer, DPoP\"", "token.type"),
        ]
    )
    func tokenType(type: String, expected: String) {
        #expect(outcome { try Self.read(Example.response(["token_type": type])) } == expected)
    }

    @Test(
        "Rejects an access token that is not valid in a header field",
        .covers(69),
        arguments: [
            ("", "token.format"), ("null", "token.format"), ("\"\"", "token.format"), ("12345", "token.format"),
            ("{}", "token.format"), ("\"a\\r\\nX-Injected: 1\"", "token.accessTokenForm"),
            ("\"a b\"", "token.accessTokenForm"),
            ("\" a\"", "token.accessTokenForm"), ("\"a\\n\"", "token.accessTokenForm"),
            ("\"a\\t\"", "token.accessTokenForm"),
            ("\"a\\u0000\"", "token.accessTokenForm"), ("\"a\\u007f\"", "token.accessTokenForm"),
            ("\"\\u00e9\"", "token.accessTokenForm"), ("\"\\ud83d\\ude00\"", "token.accessTokenForm"),
            ("\"!~azAZ09-._+/=\"", "accepted"),
        ]
    )
    func accessToken(token: String, expected: String) {
        #expect(outcome { try Self.read(Example.response(["access_token": token])) } == expected)
    }

    @Test(
        "Rejects a token response whose scope violates the syntax of RFC 6749",
        .covers(148),
        .shows(claims: 40),
        arguments: [
            ("\"a b\"", "accepted"), ("\"\"", "accepted"), ("\"  a  b \"", "accepted"),
            ("\"!#[]~https://a.example/b?c=d\"", "accepted"),
            ("\"a\\u001b]52;c;AAAA\\u0007\"", "scope.form"), ("\"a\\nb\"", "scope.form"), ("\"a\\tb\"", "scope.form"),
            ("\"a \\u0000\"", "scope.form"), ("\"a\\u007f\"", "scope.form"), ("\"a\\u009b31m\"", "scope.form"),
            ("\"\\u202ea\"", "scope.form"), ("\"a\\u00a0b\"", "scope.form"), ("\"\\u00e9\"", "scope.form"),
            ("\"a\\\"b\"", "scope.form"), ("\"a\\\\b\"", "scope.form"), ("\"a \\u0301b\"", "scope.form"),
            ("[\"a\"]", "token.format"), ("7", "token.format"),
        ]
    )
    func scopeSyntax(scope: String, expected: String) {
        #expect(outcome { try Self.read(Example.response(["scope": scope])) } == expected)
    }

    @Test("The error for an invalid scope does not contain its value", .covers(148))
    func scopeSecrecy() {
        let error = #expect(throws: ProtocolViolationError.self) {
            try Self.read(Example.response(["scope": "\"CANARY\\u001b[2J\""]))
        }
        #expect(error?.description.contains("CANARY") == false)
        #expect(error?.rule == .scopeForm)
    }

    @Test(
        "Rejects a 200 response with an error member",
        .covers(70),
        arguments: [
            #"{"error":"invalid_grant"}"#, Example.response(["error": "\"x\""]), Example.response(["error": "\"\""]),
            Example.response(["error": "null"]), Example.response(["error": "7"]),
        ]
    )
    func errorInSuccess(_ body: String) {
        #expect(outcome { try Self.read(body) } == "token.format")
    }

    @Test(
        "Rejects a 200 response whose body is not a JSON token response",
        .covers(71),
        arguments: [
            "{}", "[]", "null", "\"x\"", "", "<html></html>", "\u{FEFF}" + Example.response(), Example.response() + "x",
        ]
    )
    func format(_ body: String) {
        #expect(outcome { try Self.read(body) } == "token.format")
        #expect(outcome { try Self.read(body, requiresJSONContentType: false) } == "token.format")
    }

    @Test(
        "Requires a JSON content type unless the caller disables the check",
        .covers(71),
        arguments: [
            ("application/json", true), ("application/json;charset=UTF-8", true), ("Application/JSON ; x=y", true),
            ("text/html", false), ("text/plain", false), ("application/jsonp", false), (nil, false), ("", false),
            ("application/x-www-form-urlencoded", false),
        ] as [(String?, Bool)]
    )
    func contentType(type: String?, isJSON: Bool) {
        let response = Example.json(type: type)
        #expect(outcome { try Self.read(Example.response(), response) } == (isJSON ? "accepted" : "token.format"))
        #expect(outcome { try Self.read(Example.response(), response, requiresJSONContentType: false) } == "accepted")
    }

    @Test("Decodes every member of an error response", .covers(72))
    func oauthError() throws {
        let body = """
            {"error":"invalid_grant","error_description":"gone","error_uri":"https://as.example/e","x":1,\
            "error_subtype":"invalid_rapt"}
            """
        var response = Example.json(.badRequest)
        response.headerFields[.retryAfter] = "7"
        response.headerFields[.date] = "Sun, 06 Nov 1994 08:49:37 GMT"
        let error = #expect(throws: OAuthError.self) { try Self.read(body, response) }
        let expected = OAuthError(
            .invalidGrant,
            serverDescription: "gone",
            errorURI: "https://as.example/e",
            status: 400,
            retryAfter: 7,
            subtype: "invalid_rapt",
            serverDate: Date(timeIntervalSince1970: 784_111_777)
        )
        #expect(error == expected)
        #expect(error?.endsSession == true)
        #expect(error?.isRetryable == false)
    }

    @Test(
        "Reports the HTTP status when the error body is unreadable",
        .covers(72),
        arguments: [
            "", "[]", "[\"error\"]", #"{"error":5}"#, #"{"error":null}"#, #"{"error":""}"#, #"{"error":{}}"#, "<html>",
            "{",
            #"{"error":"a","error":"b"}"#, "null",
        ]
    )
    func unreadableError(_ body: String) {
        #expect(outcome { try Self.read(body, Example.json(.badRequest)) } == "HTTPStatusError 400")
    }

    @Test("Ignores an error description of the wrong type", .covers(72))
    func errorMembers() {
        let body = #"{"error":"invalid_client","error_description":5,"error_uri":[]}"#
        let error = #expect(throws: OAuthError.self) { try Self.read(body, Example.json(.unauthorized)) }
        #expect(error == OAuthError(.invalidClient, status: 401))
    }

    @Test(
        "Treats a busy server as retryable and keeps the session",
        .covers(73),
        arguments: [
            (500, ""), (502, "<html>"), (503, ""), (429, ""), (408, ""), (503, #"{"error":"invalid_grant"}"#),
            (429, #"{"error":"slow_down"}"#), (400, #"{"error":"temporarily_unavailable"}"#),
            (400, #"{"error":"server_error"}"#), (500, #"{"error":"invalid_grant"}"#),
        ]
    )
    func transient(status: Int, body: String) throws {
        var response = Example.json(.init(code: status))
        response.headerFields[.retryAfter] = "120"
        let thrown = #expect(throws: (any Error).self) { try Self.read(body, response) }
        let error = try #require(thrown as? any ErrorGuidance)
        #expect(!error.endsSession)
        #expect(error.isRetryable)
        #expect((error as? OAuthError)?.retryAfter ?? (error as? HTTPStatusError)?.retryAfter == 120)
    }

    @Test("Computes a Retry-After date relative to the response's Date field", .covers(73))
    func retryAfterDate() {
        var response = Example.json(.serviceUnavailable)
        response.headerFields[.retryAfter] = "Wed, 21 Oct 2026 07:28:00 GMT"
        response.headerFields[.date] = "Wed, 21 Oct 2026 07:26:30 GMT"
        let error = #expect(throws: HTTPStatusError.self) { try Self.read("", response) }
        #expect(error?.retryAfter == 90)
    }

    @Test(
        "Ignores an invalid Retry-After, or a date when the response has no Date field",
        .covers(73),
        arguments: ["Wed, 21 Oct 2026 07:28:00 GMT", "-1", "99999999999999999999", "", "1.5"]
    )
    func retryAfter(_ value: String) {
        var response = Example.json(.serviceUnavailable)
        response.headerFields[.retryAfter] = value
        let error = #expect(throws: HTTPStatusError.self) { try Self.read("", response) }
        #expect(error == HTTPStatusError(status: 503, endpoint: "token endpoint"))
    }

    @Test(
        "Reads expires_in as a number or a string of digits, and as nil when absent or null",
        .covers(74, 75),
        arguments: [
            ("3600", 3_600), ("\"3600\"", 3_600), ("0", 0), ("3.6e3", 3_600), ("\"0\"", 0), ("", nil), ("null", nil),
            ("3155760000", 3_155_760_000),
        ] as [(String, Int64?)]
    )
    func lifetime(text: String, expected: Int64?) throws {
        let name = "expires_in"
        #expect(try Self.read(Example.response([name: text])).expiresIn == expected)
        #expect(try Self.read(Example.response(["refresh_token_expires_in": text])).refreshTokenExpiresIn == expected)
    }

    @Test(
        "Rejects an invalid or out-of-range expires_in",
        .covers(74),
        arguments: [
            "-1", "1e400", "-1e400", "9e18", "9223372036854775808", "1e19", "1.5", "\"3600abc\"", "\"\"", "\" 3600\"",
            "\"-1\"", "\"+5\"", "\"1e3\"", "\"\\u0663\"", "true", "[]", "{}", "3155760001",
            "\"99999999999999999999\"", "1e-400",
        ]
    )
    func brokenLifetime(_ text: String) {
        #expect(outcome { try Self.read(Example.response(["expires_in": text])) } == "token.format")
    }

    @Test("Distinguishes an absent scope from an empty and a narrower one", .covers(76))
    func scope() throws {
        #expect(try Self.read(Example.response()).scope == nil)
        #expect(try Self.read(Example.response(["scope": "null"])).scope == nil)
        #expect(try Self.read(Example.response(["scope": "\"\""])).scope == [])
        #expect(try Self.read(Example.response(["scope": "\" email  email openid \""])).scope == [.email, .openID])
        #expect(outcome { try Self.read(Example.response(["scope": "[\"email\"]"])) } == "token.format")
    }

    @Test(
        "Rejects duplicate members, including a name written with escapes",
        .covers(77),
        arguments: [#""access_token":"b","#, #""\u0061ccess_token":"b","#, #""x":1,"x":1,"#]
    )
    func duplicates(twice: String) {
        #expect(outcome { try Self.read("{" + twice + Example.response().dropFirst()) } == "token.format")
    }

    @Test("Ignores unknown members and keeps them readable", .covers(78))
    func unknownMembers() throws {
        let tokens = try Self.read(Example.response(["x": "{\"y\":[1]}", "expires": "\"never\""]))
        #expect(tokens.document["x"]?["y"]?.elements?.count == 1)
        #expect(tokens.expiresIn == 3_600)
    }

    @Test("Returns nil for an absent refresh token and rejects an empty one", .covers(79))
    func refreshToken() throws {
        #expect(try Self.read(Example.response()).refreshToken == nil)
        #expect(try Self.read(Example.response(["refresh_token": "null"])).refreshToken == nil)
        #expect(try Self.read(Example.response(["refresh_token": "\"new\""])).refreshToken == Secret("new"))
        #expect(outcome { try Self.read(Example.response(["refresh_token": "\"\""])) } == "token.format")
        #expect(outcome { try Self.read(Example.response(["refresh_token": "5"])) } == "token.format")
    }

    @Test(
        "Requires an ID token only when openid was requested",
        .covers(80),
        arguments: [
            ([.openID, .email], "", "idToken.missing"), ([.openID], "null", "idToken.missing"),
            ([.openID], "\"\"", "token.format"), ([.openID], "\"x\"", "accepted"), ([.email], "", "accepted"),
        ] as [([Scope], String, String)]
    )
    func idToken(scopes: [Scope], token: String, expected: String) throws {
        let request = TokenRequest.authorizationCode(try #require(try Example.pending(scopes: scopes).code()))
        let body = Array(Example.response(["id_token": token]).utf8)
        #expect(outcome { try request.decode(Example.json(), body: body) } == expected)
    }

    @Test("Rejects a success status other than 200", arguments: [201, 202, 204, 206])
    func otherSuccess(_ status: Int) {
        #expect(
            outcome { try Self.read(Example.response(), Example.json(.init(code: status))) }
                == "HTTPStatusError \(status)"
        )
    }
}
