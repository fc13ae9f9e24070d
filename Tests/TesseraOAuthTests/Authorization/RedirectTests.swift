// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Authorization response")
struct RedirectTests {
    @Test(
        "A redirect that does not match returns no code and leaves the request pending",
        .covers(26, 27, 28, 29),
        .shows(claims: 10),
        arguments: [
            ("state=other&code=c", "redirect.state"), ("state=STATEx&code=c", "redirect.state"),
            ("state=&code=c", "redirect.state"), ("State=STATE&code=c", "redirect.state"), ("code=c", "redirect.state"),
            ("", "redirect.state"), ("state=STATE&state=STATE&code=c", "redirect.format"),
            ("state=other&state=STATE&code=c", "redirect.format"), ("state=STATE&code=c&code=d", "redirect.format"),
            ("state=STATE&code=c&c%6Fde=c", "redirect.format"),
            ("state=STATE&code=c&iss=a&iss=https://as.example", "redirect.format"),
            ("state=STATE&error=a&error=b", "redirect.format"), ("error=access_denied", "redirect.state"),
            ("error=access_denied&state=other", "redirect.state"), ("error=server_error&state=", "redirect.state"),
        ]
    )
    func mismatches(query: String, rule: String) throws {
        let pending = try Example.pending()
        #expect(pending.result(of: query) == "mismatch: \(rule)")
        #expect(pending.result(of: "state=STATE&code=c") == "code")
    }

    @Test(
        "A redirect with a malformed query does not match",
        .covers(38),
        arguments: [
            "state=STATE&code=%zz", "state=STATE&code=%C3%28", "state=STATE&code=%00", "state=STATE&code=%",
            "state=STATE&code=%4", "state=STATE&code=c&x=%FF", "state=STATE&%=1", "state=STATE&code=c d", "?foo",
            "state=STATE&code=\u{E9}", "state=STATE&code=c\r\nX: y", "state=STATE&code=%ED%A0%80",
            "state=STATE&code=" + String(repeating: "c", count: 1 << 20),
        ]
    )
    func unreadable(_ query: String) throws {
        let pending = try Example.pending()
        #expect(pending.result(of: query).hasPrefix("mismatch: redirect."))
        #expect(pending.result(of: "state=STATE&code=c") == "code")
    }

    @Test(
        "Rejects a matching redirect without a usable code",
        .covers(37, 38, 39, 42),
        arguments: [
            "state=STATE", "state=STATE&foo", "&&state=STATE&&", "state=STATE&code=", "state=STATE&code",
            "state=STATE&code=%0D%0A", "state=STATE&code=%C3%A9", "state=STATE&code=%7F",
            "state=STATE&code=c&access_token=t", "state=STATE&code=c&id_token=t", "state=STATE&access_token=t",
            "state=STATE&code=c&token_type=Bearer", "state=STATE&response=eyJhbGciOiJub25lIn0.e30.",
            "state=STATE&code=c&response=jwt",
        ]
    )
    func noCode(_ query: String) throws {
        let pending = try Example.pending()
        #expect(pending.result(of: query) == "redirect.code")
        #expect(pending.result(of: "state=STATE&code=c") == "redirect.reuse")
    }

    @Test("Ignores an unrequested JARM response", .covers(42))
    func unaskedJARM() throws {
        #expect(try Example.pending().result(of: "response=eyJhbGciOiJub25lIn0.e30.") == "mismatch: redirect.state")
        #expect(outcome { try Example.pending(additionalParameters: ["response_mode": "jwt"]) } != "accepted")
    }

    @Test("Receiving a response that does not match throws and leaves the request pending", .covers(26, 29))
    func mismatch() async throws {
        let pending = try Example.pending()
        let forged = DeliveredResponse.redirect(Example.redirectURI + "?error=access_denied&state=other")
        #expect(!pending.matches(forged))
        let thrown = await #expect(throws: ProtocolViolationError.self) { try await pending.receive(forged) }
        #expect(thrown?.rule == .state)
        let state = try #require(pending.sent("state").first)
        let own = DeliveredResponse.redirect(Example.redirectURI + "?code=c&state=\(state)")
        #expect(pending.matches(own))
        #expect(try await pending.receive(own).code == Secret("c"))
        #expect(pending.matches(own))
        await #expect(throws: ProtocolViolationError.self) { try await pending.receive(own) }
    }

    @Test(
        "Rejects a second redirect, even after an error",
        .covers(30),
        arguments: ["state=STATE&code=c", "state=STATE&error=access_denied", "state=STATE"]
    )
    func once(first: String) throws {
        let pending = try Example.pending()
        _ = pending.result(of: first)
        #expect(pending.result(of: "state=STATE&code=c") == "redirect.reuse")
    }

    @Test("Accepts only one of 100 concurrent redirects", .covers(30))
    func race() async throws {
        let pending = try Example.pending()
        let codes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { pending.result(of: "state=STATE&code=c") == "code" } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(codes == 1)
    }

    @Test("Rejects a redirect after cancellation or the deadline", .covers(30))
    func late() throws {
        let closed = try Example.pending()
        closed.close()
        #expect(closed.result(of: "state=STATE&code=c") == "redirect.reuse")
        let clock = TestClock()
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]), clock: clock)
        let (timely, expired) = (try Example.pending(runtime: runtime), try Example.pending(runtime: runtime))
        clock.advance(by: .nanoseconds(599_999_999_999))
        #expect(timely.result(of: "state=STATE&code=c") == "code")
        clock.advance(by: .nanoseconds(1))
        #expect(expired.result(of: "state=STATE&code=c") == "redirect.reuse")
    }

    @Test(
        "Requires iss to equal the issuer exactly, even in errors or if not announced",
        .covers(31, 32, 33, 34),
        .shows(claims: 35),
        arguments: [
            ("code=c&iss=https%3A%2F%2Fevil.example", false, "redirect.issuer"),
            ("error=access_denied&iss=https%3A%2F%2Fevil.example", false, "redirect.issuer"),
            ("error=access_denied", true, "redirect.issuer"), ("code=c", true, "redirect.issuer"),
            ("code=c&iss=", true, "redirect.issuer"), ("code=c&iss=", false, "redirect.issuer"),
            ("code=c&iss", true, "redirect.issuer"),
            ("code=c&iss=https%3A%2F%2Fas.example%2F", true, "redirect.issuer"),
            ("code=c&iss=https%3A%2F%2FAS.example", true, "redirect.issuer"),
            ("code=c&iss=https%3A%2F%2Fas.example%20", true, "redirect.issuer"),
            ("code=c&iss=https%3A%2F%2Fas.example", true, "code"),
            ("code=c&iss=https%3A%2F%2Fas.example", false, "code"),
            ("code=c", false, "code"),
            ("error=access_denied&iss=https://as.example", true, "OAuthError access_denied"),
        ]
    )
    func issuer(query: String, isAnnounced: Bool, expected: String) throws {
        let metadata = try Example.metadata(["authorization_response_iss_parameter_supported": "\(isAnnounced)"])
        #expect(try Example.pending(metadata).result(of: "state=STATE&" + query) == expected)
    }

    @Test("Does not treat a canonically equivalent iss as equal", .covers(33))
    func kelvinSign() throws {
        let metadata = try Example.metadata(["issuer": "\"https://as.example/K\""])
        #expect(try Example.pending(metadata).result(of: "state=STATE&code=c&iss=https://as.example/K") == "code")
        #expect(
            try Example.pending(metadata).result(of: "state=STATE&code=c&iss=https://as.example/%E2%84%AA")
                == "redirect.issuer"
        )
    }

    @Test(
        "A redirect to another URI leaves the request pending",
        .covers(36),
        arguments: [
            "http://127.0.0.1:5001/callback", "http://127.0.0.1/callback", "http://127.0.0.2:5000/callback",
            "https://127.0.0.1:5000/callback", "http://127.0.0.1:5000/callback/", "http://127.0.0.1:5000/callback/../x",
            "http://127.0.0.1:5000/x/../callback", "http://127.0.0.1:5000//callback",
            "http://127.0.0.1:5000/%63allback",
            "http://127.0.0.1:5000/Callback", "http://127.0.0.1:5000/", "http://127.0.0.1:5000",
            "http://localhost:5000/callback",
            "http://[::1]:5000/callback", "http://user@127.0.0.1:5000/callback", "http://@127.0.0.1:5000/callback",
            "http://127.0.0.1:5000/callback;x", "com.example:/callback", "/callback", "callback", "",
            "http://evil.example:5000/callback", "http://127.0.0.1:5000\\callback", " http://127.0.0.1:5000/callback",
        ]
    )
    func redirectURI(_ other: String) throws {
        let pending = try Example.pending()
        let state = try #require(pending.sent("state").first)
        #expect(pending.result(of: .redirect("\(other)?state=\(state)&code=c")) == "mismatch: redirect.uri")
        #expect(pending.result(of: "state=STATE&code=c") == "code")
    }

    @Test("Ignores case in scheme and host, and an explicit default port", .covers(36))
    func equivalent() throws {
        let pending = try Example.pending(redirectURI: "https://app.example/cb")
        let state = try #require(pending.sent("state").first)
        #expect(pending.result(of: .redirect("HTTPS://APP.example:443/cb?state=\(state)&code=c")) == "code")
    }

    @Test(
        "Requires the redirect URI's own query in the redirect",
        .covers(36),
        arguments: [
            ("as=one&", "code"), ("", "mismatch: redirect.uri"), ("as=two&", "mismatch: redirect.uri"),
        ]
    )
    func ownQuery(query: String, expected: String) throws {
        let pending = try Example.pending(redirectURI: "https://app.example/cb?as=one")
        let state = try #require(pending.sent("state").first)
        let redirect = DeliveredResponse.redirect("https://app.example/cb?\(query)state=\(state)&code=c")
        #expect(pending.result(of: redirect) == expected)
    }

    @Test("Throws the error if a redirect has both a code and an error", .covers(40))
    func errorWins() throws {
        #expect(
            try Example.pending().result(of: "state=STATE&code=c&error=access_denied") == "OAuthError access_denied"
        )
        #expect(try Example.pending().result(of: "state=STATE&code=c&error=") == "OAuthError invalid_request")
        #expect(try Example.pending().result(of: "state=STATE&access_token=t&error=x") == "OAuthError x")
    }

    @Test("Ignores the fragment of a redirect in the code flow", .covers(41))
    func fragment() throws {
        let pending = try Example.pending()
        let state = try #require(pending.sent("state").first)
        for redirect in ["#state=\(state)&code=c", "?code=c#state=\(state)", "?x=1#?state=\(state)&code=c"] {
            #expect(pending.result(of: .redirect(Example.redirectURI + redirect)) == "mismatch: redirect.state")
        }
        #expect(pending.result(of: "state=STATE#&code=c") == "redirect.code")
    }

    @Test("Form-decodes the code", .covers(43))
    func formDecoding() throws {
        let response = try #require(try Example.pending().code("a%2Bb+c%26d%3D%25"))
        #expect(response.code == Secret("a+b c&d=%"))
        let message = try TokenRequest.authorizationCode(response).message(client: Example.client)
        #expect(message.form("code") == ["a+b c&d=%"])
    }

    @Test("Truncates error texts and escapes their control characters when printed", .covers(44))
    func errorText() throws {
        let hostile = "%1B%5B31m+%25n%25s%25%40+%E2%80%AE+\\(1)+".replacing("\\", with: "%5C")
        let query = "state=STATE&error=e%0Ax&error_uri=javascript%3Aalert(1)&error_description="
        let pending = try Example.pending()
        let thrown = #expect(throws: OAuthError.self) {
            try pending.response(query + hostile + String(repeating: "x", count: 5_000))
        }
        let error = try #require(thrown)
        #expect(error.code.rawValue == "e\nx")
        #expect(error.errorURI == "javascript:alert(1)")
        let description = try #require(error.serverDescription)
        #expect(description.hasPrefix("\u{1B}[31m %n%s%@ \u{202E} \\(1) x"))
        #expect(description.unicodeScalars.count == 1_000)
        for text in ["\(error)", "\(error.code)", error.recoverySuggestion ?? ""] {
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
            #expect(text.count < 600)
        }
        let long = #expect(throws: OAuthError.self) {
            try Example.pending().response("state=STATE&error=" + String(repeating: "e", count: 50_000))
        }
        #expect(long?.code.rawValue.count == 200)
    }
}
