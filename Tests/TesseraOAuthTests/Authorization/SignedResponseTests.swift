// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Signed authorization responses (JARM)")
struct SignedResponseTests {
    /// An authorization attempt with a signed response, and the provider's side of it.
    struct Attempt {
        let pending: PendingAuthorization
        let keys: KeySetCache
        var state: String { self.pending.sent("state").first ?? "" }

        init(
            _ mode: ResponseMode = .jwt,
            metadata changes: [String: String] = [:],
            change: (inout AuthorizationRequest) -> Void = { _ in }
        ) throws {
            let keys = JSONNode.object([JSONMember(name: "keys", value: [try IDTokens.published()])]).text()
            let runtime = OAuthRuntime.testing(transport: ScriptedTransport { _ in .json(keys) })
            var request = AuthorizationRequest(
                redirectURI: try RedirectURI(Example.redirectURI),
                scopes: [.openID],
                responseMode: mode
            )
            change(&request)
            self.pending = try PendingAuthorization(
                request,
                metadata: try Example.metadata(changes),
                client: OAuthClient(
                    clientID: "client",
                    idTokenAlgorithms: [.es256],
                    authorizationResponseAlgorithms: [.es256]
                ),
                runtime: runtime
            )
            self.keys = KeySetCache(try Endpoint("https://as.example/keys", name: "jwks_uri"), runtime: runtime)
        }

        /// Creates a response token signed by the provider, in which `STATE` stands for the attempt's state.
        func token(
            _ changes: [String: String] = [:],
            type: String? = nil,
            key: Result<JWSSigningKey, any Error> = IDTokens.key
        ) throws -> String {
            let valid = [
                "iss": "\"https://as.example\"", "aud": "\"client\"", "exp": "1700000600", "code": "\"the-code\"",
                "state": "\"STATE\"",
            ]
            let claims = Example.object(valid, changes).replacing("STATE", with: self.state)
            return try key.get().sign(payload: Array(claims.utf8), type: type)
        }

        /// Describes the result of a redirect with this query.
        func result(of query: String) async throws -> String {
            try await self.result(of: .redirect(Example.redirectURI + "?" + query.replacing("STATE", with: self.state)))
        }

        func result(of delivered: DeliveredResponse) async throws -> String {
            if let mismatch = self.pending.mismatch(delivered) { return "mismatch: \(mismatch.rule)" }
            var result = ""
            let thrown = await eventualOutcome {
                var isVerified = false
                let response = try await self.pending.receive(delivered) {
                    isVerified = true
                    return self.keys
                }
                result = isVerified ? response.code.withUnredacted { $0 } : "unverified code"
            }
            return result.isEmpty ? thrown : result
        }
    }

    @Test(
        "Requests a signed response and returns its code after verification",
        .covers(42),
        arguments: ResponseMode.allCases
    )
    func good(_ mode: ResponseMode) async throws {
        guard mode.isJWT else { return }
        let attempt = try Attempt(mode)
        #expect(attempt.pending.sent("response_mode") == [mode.rawValue])
        let body = "response=" + (try attempt.token())
        if mode.isFormPost {
            #expect(try await attempt.result(of: .formPost(to: Example.redirectURI, body: body)) == "the-code")
        } else {
            #expect(try await attempt.result(of: body) == "the-code")
        }
        #expect(try await attempt.result(of: body).hasSuffix(mode.isFormPost ? "redirect.format" : "redirect.reuse"))
    }

    @Test(
        "Rejects a signed response with invalid claims",
        .covers(42, 31, 33),
        arguments: [
            (["iss": "\"https://evil.example\""], "jwt.issuer"), (["iss": "\"https://as.example/\""], "jwt.issuer"),
            (["iss": ""], "jwt.claims"), (["aud": "\"other\""], "jwt.audience"), (["aud": ""], "jwt.claims"),
            (["exp": ""], "jwt.claims"), (["exp": "1699999000"], "jwt.time"), (["exp": "\"1700000600\""], "jwt.claims"),
            (["exp": "null"], "jwt.claims"), (["nbf": "1700001000"], "jwt.time"), (["code": ""], "redirect.code"),
            (["code": "5"], "redirect.code"), (["code": "\"\""], "redirect.code"),
            (["access_token": "\"t\""], "redirect.code"), (["id_token": "\"t\""], "redirect.code"),
            (["error": "\"access_denied\"", "code": ""], "OAuthError access_denied"),
            (["error": "\"access_denied\""], "OAuthError access_denied"),
        ]
    )
    func claims(changes: [String: String], expected: String) async throws {
        let attempt = try Attempt()
        #expect(try await attempt.result(of: "response=" + attempt.token(changes)) == expected)
        #expect(
            try await attempt.result(of: "response=" + attempt.token()) == "redirect.reuse",
            "The rejection is final."
        )
    }

    @Test("Rejects a signed response with an invalid signature, algorithm or type", .covers(42, 82))
    func signature() async throws {
        func result(_ metadata: [String: String] = [:], _ token: (Attempt) throws -> String) async throws -> String {
            let attempt = try Attempt(metadata: metadata)
            return try await attempt.result(of: "response=" + (try token(attempt)))
        }
        #expect(try await result { try $0.token(key: IDTokens.otherKey) } == "jwt.signingKey")
        #expect(
            try await result { attempt in
                let parts = try attempt.token().split(separator: ".")
                return "\(parts[0]).\(parts[1]).\(String(repeating: "A", count: 86))"
            } == "jws.signature"
        )
        for header in [#"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{}"#] {
            let outcome = try await result { attempt in
                base64URL(header) + "." + (try attempt.token().split(separator: ".")[1]) + "."
            }
            #expect(outcome.hasPrefix("mismatch: jws."))
        }
        let announced = "authorization_signing_alg_values_supported"
        #expect(try await result([announced: "[\"ES256\"]"]) { try $0.token() } == "the-code")
        #expect(try await result { try $0.token(type: "at+jwt") } == "jwt.type")
        #expect(try await result { try $0.token(type: "JWT") } == "the-code")
    }

    @Test(
        "Throws before the browser opens if the provider supports no accepted algorithm",
        .covers(42, 140)
    )
    func noCommonAlgorithm() throws {
        let announced = ["authorization_signing_alg_values_supported": "[\"PS256\"]"]
        let name = "InvalidRequestError authorization_signed_response_alg"
        #expect(outcome { try Attempt(metadata: announced) } == name)
        #expect(outcome { try Attempt(.query, metadata: announced) } == "accepted")
    }

    @Test("A signed response with another state leaves the request pending", .covers(26, 27, 29, 42))
    func foreign() async throws {
        let attempt = try Attempt()
        for (query, rule) in [
            ("response=" + (try attempt.token(["state": "\"other\""])), "redirect.state"),
            ("response=" + (try attempt.token(["state": ""])), "redirect.state"),
            ("response=" + (try attempt.token(["state": "5"])), "redirect.state"),
            (
                "response=" + (try attempt.token(["state": "\"other\"", "error": "\"access_denied\""])),
                "redirect.state"
            ),
            ("response=" + (try attempt.token(["state": "\"x\""])) + "&state=STATE", "redirect.state"),
            ("response=eyJhbGciOiJub25lIn0.e30.", "jws.algorithm"), ("response=x", "jws.format"),
            ("response=", "jws.format"), ("error=access_denied", "redirect.state"), ("code=c", "redirect.state"),
            ("response=YQ.YQ.YQ.YQ.YQ", "jwe.unsupported"), ("response=a&response=b", "redirect.format"),
        ] {
            #expect(try await attempt.result(of: query) == "mismatch: \(rule)")
        }
        #expect(try await attempt.result(of: "response=" + attempt.token()) == "the-code")
    }

    @Test("Rejects plain parameters in place of the signed response", .covers(42))
    func plain() async throws {
        #expect(try await Attempt().result(of: "code=c&state=STATE") == "redirect.code")
        #expect(try await Attempt().result(of: "error=access_denied&state=STATE") == "redirect.code")
        let attempt = try Attempt()
        let query = "iss=https%3A%2F%2Fevil.example&response=" + (try attempt.token())
        #expect(try await attempt.result(of: query) == "redirect.issuer")
    }

    @Test("A signed response with duplicate members does not match", .covers(28, 96))
    func duplicates() async throws {
        let attempt = try Attempt()
        let key = try IDTokens.key.get()
        let twice = #"{"state":"\#(attempt.state)","state":"\#(attempt.state)","code":"c"}"#
        #expect(
            try await attempt.result(of: "response=" + key.sign(payload: Array(twice.utf8))) == "mismatch: jwt.claims"
        )
    }

    @Test("Redacts an unverified response and the attempt's secrets", .covers(124))
    func redaction() throws {
        let attempt = try Attempt()
        let delivered = DeliveredResponse.redirect(Example.redirectURI + "?response=" + (try attempt.token()))
        #expect(attempt.pending.matches(delivered))
        var dumped = ""
        dump([delivered], to: &dumped)
        dump(attempt.pending, to: &dumped)
        let text = dumped + "\(delivered)" + String(reflecting: delivered) + String(reflecting: attempt.pending)
        #expect(!text.contains(attempt.state))
        #expect(!text.contains("eyJ"))
        #expect(!text.contains("the-code"))
    }

    @Test("Rejects a response mode that the provider does not announce")
    func announced() throws {
        let modes = ["response_modes_supported": "[\"query\",\"form_post\"]"]
        #expect(outcome { try Attempt(.jwt, metadata: modes) } == "InvalidRequestError response_mode")
        #expect(outcome { try Attempt(.formPost, metadata: modes) } == "accepted")
    }
}
