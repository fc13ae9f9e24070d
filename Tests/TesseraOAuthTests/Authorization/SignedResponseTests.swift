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
    /// An attempt that asked for a signed response, and what a provider would answer it.
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

        /// A response with the provider's signature; `STATE` stands for the attempt's state.
        func token(
            _ changes: [String: String] = [:],
            type: String? = nil,
            key: Result<JWSSigningKey, any Error> = IDTokens.key
        ) throws -> String {
            let sound = [
                "iss": "\"https://as.example\"", "aud": "\"client\"", "exp": "1700000600", "code": "\"the-code\"",
                "state": "\"STATE\"",
            ]
            let claims = Example.object(sound, changes).replacing("STATE", with: self.state)
            return try key.get().sign(payload: Array(claims.utf8), type: type)
        }

        /// What becomes of a redirect with this query.
        func judge(_ query: String) async throws -> String {
            try await self.judge(.redirect(Example.redirectURI + "?" + query.replacing("STATE", with: self.state)))
        }

        func judge(_ delivered: DeliveredResponse) async throws -> String {
            if let mismatch = self.pending.mismatch(delivered) { return "not ours: \(mismatch.rule)" }
            var result = ""
            let thrown = await eventualOutcome {
                var isVerified = false
                let response = try await self.pending.receive(delivered) {
                    isVerified = true
                    return self.keys
                }
                result = isVerified ? response.code.withUnredacted { $0 } : "a code without a check"
            }
            return result.isEmpty ? thrown : result
        }
    }

    @Test(
        "A signed response is asked for, and its code comes out after the check",
        .covers(42),
        arguments: ResponseMode.allCases
    )
    func good(_ mode: ResponseMode) async throws {
        guard mode.isJWT else { return }
        let attempt = try Attempt(mode)
        #expect(attempt.pending.sent("response_mode") == [mode.rawValue])
        let body = "response=" + (try attempt.token())
        if mode.isFormPost {
            #expect(try await attempt.judge(.formPost(to: Example.redirectURI, body: body)) == "the-code")
        } else {
            #expect(try await attempt.judge(body) == "the-code")
        }
        #expect(try await attempt.judge(body).hasSuffix(mode.isFormPost ? "redirect.format" : "redirect.reuse"))
    }

    @Test(
        "A signed response with another issuer, audience or time is refused, and so is one without",
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
        #expect(try await attempt.judge("response=" + attempt.token(changes)) == expected)
        #expect(try await attempt.judge("response=" + attempt.token()) == "redirect.reuse", "ours, and final")
    }

    @Test("No signature, another's, one by another algorithm or of another kind of token is refused", .covers(42, 82))
    func signature() async throws {
        func judged(_ metadata: [String: String] = [:], _ token: (Attempt) throws -> String) async throws -> String {
            let attempt = try Attempt(metadata: metadata)
            return try await attempt.judge("response=" + (try token(attempt)))
        }
        #expect(try await judged { try $0.token(key: IDTokens.otherKey) } == "jwt.signingKey")
        #expect(
            try await judged { attempt in
                let parts = try attempt.token().split(separator: ".")
                return "\(parts[0]).\(parts[1]).\(String(repeating: "A", count: 86))"
            } == "jws.signature"
        )
        for header in [#"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{}"#] {
            let judgement = try await judged { attempt in
                base64URL(header) + "." + (try attempt.token().split(separator: ".")[1]) + "."
            }
            #expect(judgement.hasPrefix("not ours: jws."))
        }
        let announced = "authorization_signing_alg_values_supported"
        #expect(try await judged([announced: "[\"ES256\"]"]) { try $0.token() } == "the-code")
        #expect(try await judged { try $0.token(type: "at+jwt") } == "jwt.type")
        #expect(try await judged { try $0.token(type: "JWT") } == "the-code")
    }

    @Test(
        "A provider that signs responses with no accepted algorithm is refused before the browser opens",
        .covers(42, 140)
    )
    func noCommonAlgorithm() throws {
        let announced = ["authorization_signing_alg_values_supported": "[\"PS256\"]"]
        let name = "InvalidRequestError authorization_signed_response_alg"
        #expect(outcome { try Attempt(metadata: announced) } == name)
        #expect(outcome { try Attempt(.query, metadata: announced) } == "accepted")
    }

    @Test("The state inside is looked at first: a foreign token leaves the attempt open", .covers(26, 27, 29, 42))
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
            #expect(try await attempt.judge(query) == "not ours: \(rule)")
        }
        #expect(try await attempt.judge("response=" + attempt.token()) == "the-code")
    }

    @Test("Plain parameters in place of the signed response are refused, with the right state too", .covers(42))
    func plain() async throws {
        #expect(try await Attempt().judge("code=c&state=STATE") == "redirect.code")
        #expect(try await Attempt().judge("error=access_denied&state=STATE") == "redirect.code")
        let attempt = try Attempt()
        let query = "iss=https%3A%2F%2Fevil.example&response=" + (try attempt.token())
        #expect(try await attempt.judge(query) == "redirect.issuer")
    }

    @Test("Two members of one name in a response make it nobody's", .covers(28, 96))
    func duplicates() async throws {
        let attempt = try Attempt()
        let key = try IDTokens.key.get()
        let twice = #"{"state":"\#(attempt.state)","state":"\#(attempt.state)","code":"c"}"#
        #expect(try await attempt.judge("response=" + key.sign(payload: Array(twice.utf8))) == "not ours: jwt.claims")
    }

    @Test("An answer that is not checked yet shows neither its code nor the attempt's secrets", .covers(124))
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

    @Test("Where the provider announces response modes, only those can be asked for")
    func announced() throws {
        let modes = ["response_modes_supported": "[\"query\",\"form_post\"]"]
        #expect(outcome { try Attempt(.jwt, metadata: modes) } == "InvalidRequestError response_mode")
        #expect(outcome { try Attempt(.formPost, metadata: modes) } == "accepted")
    }
}
