// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Hybrid flow with code and ID token")
struct HybridTests {
    private typealias Attempt = SignedResponseTests.Attempt

    private static func attempt(_ mode: ResponseMode? = nil, _ metadata: [String: String] = [:]) throws -> Attempt {
        try Attempt(metadata: metadata) { request in
            request.responseType = .codeIDToken
            request.responseMode = mode
        }
    }

    /// Creates an ID token for the attempt and the code `the-code`.
    private static func idToken(
        _ attempt: Attempt,
        _ changes: [String: String] = [:],
        key: Result<JWSSigningKey, any Error> = IDTokens.key
    ) throws -> String {
        let hash = try #require(TokenHash.compute(of: "the-code", algorithm: .es256))
        let nonce = try #require(attempt.pending.sent("nonce").first)
        let valid = ["nonce": "\"\(nonce)\"", "c_hash": "\"\(hash)\""]
        return try IDTokens.token(valid.merging(changes) { $1 }, key: key).withUnredacted { $0 }
    }

    private static func result(_ attempt: Attempt, _ fragment: String) async throws -> String {
        let text = fragment.replacing("STATE", with: attempt.state)
        return try await attempt.result(of: .redirect("\(Example.redirectURI)#\(text)"))
    }

    private static func result(_ changes: [String: String]) async throws -> String {
        let attempt = try Self.attempt()
        return try await Self.result(attempt, "code=the-code&state=STATE&id_token=" + Self.idToken(attempt, changes))
    }

    @Test("Returns the code after validating the ID token in a fragment or form post")
    func good() async throws {
        let attempt = try Self.attempt()
        #expect(attempt.pending.sent("response_type") == ["code id_token"])
        #expect(attempt.pending.sent("response_mode") == [])
        #expect(attempt.pending.sent("nonce").count == 1)
        let fragment = "code=the-code&state=STATE&id_token=" + (try Self.idToken(attempt))
        #expect(try await Self.result(attempt, fragment) == "the-code")
        #expect(try await Self.result(attempt, fragment) == "redirect.reuse")
        let posted = try Self.attempt(.formPost)
        #expect(posted.pending.sent("response_mode") == ["form_post"])
        let body = "code=the-code&state=\(posted.state)&id_token=" + (try Self.idToken(posted))
        #expect(try await posted.result(of: .formPost(to: Example.redirectURI, body: body)) == "the-code")
    }

    @Test("Requires a matching c_hash, and a matching s_hash if present", .covers(94))
    func hashes() async throws {
        #expect(try await Self.result(["c_hash": ""]) == "idToken.hash")
        #expect(try await Self.result(["c_hash": "\"AAAAAAAAAAAAAAAAAAAAAA\""]) == "idToken.hash")
        #expect(try await Self.result(["s_hash": "\"AAAAAAAAAAAAAAAAAAAAAA\""]) == "idToken.hash")
        let attempt = try Self.attempt()
        let hash = try #require(TokenHash.compute(of: attempt.state, algorithm: .es256))
        let token = try Self.idToken(attempt, ["s_hash": "\"\(hash)\""])
        #expect(try await Self.result(attempt, "code=the-code&state=STATE&id_token=" + token) == "the-code")
        let injected = try Self.attempt()
        let other = "code=another-code&state=STATE&id_token=" + (try Self.idToken(injected))
        #expect(try await Self.result(injected, other) == "idToken.hash", "The code belongs to another request.")
    }

    @Test(
        "Rejects a front-channel ID token with invalid claims",
        .covers(85, 89, 90, 91, 92),
        arguments: [
            (["nonce": "\"other\""], "idToken.nonce"), (["nonce": ""], "idToken.nonce"),
            (["iss": "\"https://evil.example\""], "jwt.issuer"), (["aud": "\"other\""], "jwt.audience"),
            (["exp": "1600000000"], "jwt.time"), (["iat": "1600000000"], "jwt.time"), (["sub": ""], "jwt.claims"),
        ]
    )
    func idToken(changes: [String: String], expected: String) async throws {
        #expect(try await Self.result(changes) == expected)
    }

    @Test("Rejects a front-channel ID token signed by another key", .covers(85))
    func forgedIDToken() async throws {
        let attempt = try Self.attempt()
        let forged = try Self.idToken(attempt, key: IDTokens.otherKey)
        #expect(try await Self.result(attempt, "code=the-code&state=STATE&id_token=" + forged) == "jwt.signingKey")
    }

    @Test(
        "Rejects a response without an ID token, with an access token or with a wrong iss",
        .covers(31, 32, 39, 80),
        arguments: [
            ("code=c&state=STATE", "idToken.missing"), ("code=c&state=STATE&id_token=", "idToken.missing"),
            ("code=c&state=STATE&id_token=t&access_token=t", "redirect.code"),
            ("state=STATE&id_token=t", "redirect.code"),
            ("state=STATE&error=access_denied", "OAuthError access_denied"),
            ("code=c&state=STATE&id_token=t&iss=https%3A%2F%2Fevil.example", "redirect.issuer"),
            ("code=c&state=other&id_token=t", "mismatch: redirect.state"), ("", "mismatch: redirect.state"),
            ("code=c&state=STATE&id_token=x", "jws.format"),
        ]
    )
    func parameters(fragment: String, expected: String) async throws {
        #expect(try await Self.result(try Self.attempt(), fragment) == expected)
    }

    @Test("Rejects a hybrid response without the iss that the provider announces", .covers(31, 32))
    func announcedIssuer() async throws {
        let attempt = try Self.attempt(nil, ["authorization_response_iss_parameter_supported": "true"])
        #expect(try await Self.result(attempt, "code=c&state=STATE&id_token=t") == "redirect.issuer")
    }

    @Test("Rejects a hybrid response in the query", .covers(39))
    func query() async throws {
        let attempt = try Self.attempt()
        #expect(try await attempt.result(of: "code=c&state=STATE&id_token=t") == "mismatch: redirect.state")
    }

    @Test("Rejects tokens if the two ID tokens differ in issuer or user")
    func sameUser() async throws {
        let attempt = try Self.attempt()
        let fragment = "code=the-code&state=\(attempt.state)&id_token=" + (try Self.idToken(attempt))
        let delivered = DeliveredResponse.redirect("\(Example.redirectURI)#\(fragment)")
        let response = try await attempt.pending.receive(delivered) { attempt.keys }
        #expect(response.idToken?.claims.subject == "subject")
        func result(_ changes: [String: String]) throws -> String {
            let token = try IDTokens.token(changes).withUnredacted { $0 }
            let body = Array(Example.response(["id_token": "\"\(token)\""]).utf8)
            return outcome { try TokenRequest.authorizationCode(response).decode(Example.json(), body: body) }
        }
        #expect(try result([:]) == "accepted")
        #expect(try result(["sub": "\"eve\""]) == "idToken.frontChannel")
        #expect(try result(["iss": "\"https://as.example/\""]) == "idToken.frontChannel")
    }

    @Test("Requires openid and the fragment or form_post response mode", .covers(22))
    func combinations() throws {
        func built(_ type: ResponseType, _ mode: ResponseMode?, _ scopes: [Scope] = [.openID]) -> String {
            outcome {
                try Example.pending(scopes: scopes) { request in
                    request.responseType = type
                    request.responseMode = mode
                }
            }
        }
        #expect(built(.codeIDToken, nil, [.email]) == "InvalidRequestError response_type")
        for mode in [ResponseMode.query, .jwt, .queryJWT, .formPostJWT] {
            #expect(built(.codeIDToken, mode) == "InvalidRequestError response_mode")
        }
        #expect(built(.codeIDToken, .fragment) == "accepted")
        #expect(built(.codeIDToken, .formPost) == "accepted")
        #expect(built(.code, .fragment) == "InvalidRequestError response_mode")
    }
}
