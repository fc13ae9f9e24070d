// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("Claims of an ID token")
struct IDTokenClaimsTests {
    private static func judgement(
        _ changes: [String: String],
        _ change: (inout IDTokenPolicy) -> Void = { _ in }
    ) -> String {
        outcome { try IDTokens.validate(IDTokens.token(changes), change) }
    }

    @Test(
        "The issuer is the provider's text, character by character",
        .covers(89),
        arguments: [
            ("\"https://evil.example\"", "jwt.issuer"), ("\"https://as.example/\"", "jwt.issuer"),
            ("\"https://AS.example\"", "jwt.issuer"), ("\"as.example\"", "jwt.issuer"), ("", "jwt.claims"),
            ("\"\"", "jwt.claims"), ("null", "jwt.claims"), ("5", "jwt.claims"),
            ("[\"https://as.example\"]", "jwt.claims"), ("\"https:\\/\\/as.example\"", "accepted"),
        ]
    )
    func issuer(value: String, expected: String) {
        #expect(Self.judgement(["iss": value]) == expected)
    }

    @Test("Another spelling of the issuer is accepted only where it is declared", .covers(89))
    func alias() {
        let changes = ["iss": "\"as.example\""]
        #expect(Self.judgement(changes) == "jwt.issuer")
        #expect(Self.judgement(changes) { $0.issuerAliases = ["as.example"] } == "accepted")
        #expect(Self.judgement(["iss": "\"as.example/\""]) { $0.issuerAliases = ["as.example"] } == "jwt.issuer")
    }

    @Test(
        "The audience is this client; several need azp, and azp is this client in any case",
        .covers(90),
        arguments: [
            ("\"client\"", "", "accepted"), ("[\"client\"]", "", "accepted"), ("\"client\"", "\"client\"", "accepted"),
            ("[\"client\",\"other\"]", "\"client\"", "accepted"), ("\"other\"", "", "jwt.audience"),
            ("\"Client\"", "", "jwt.audience"), ("\"\"", "", "jwt.audience"),
            ("[\"other\"]", "", "jwt.audience"),
            ("\"other\"", "\"client\"", "jwt.audience"), ("[\"client\",\"other\"]", "", "idToken.authorizedParty"),
            ("[\"client\",\"other\"]", "\"other\"", "idToken.authorizedParty"),
            ("\"client\"", "\"other\"", "idToken.authorizedParty"), ("\"client\"", "\"\"", "idToken.authorizedParty"),
            ("[\"client\"]", "5", "jwt.claims"), ("", "", "jwt.claims"), ("null", "", "jwt.claims"),
            ("[]", "", "jwt.claims"), ("5", "", "jwt.claims"), ("[\"client\",5]", "", "jwt.claims"),
            ("{\"client\":1}", "", "jwt.claims"), ("[[\"client\"]]", "", "jwt.claims"),
        ]
    )
    func audience(audience: String, party: String, expected: String) {
        #expect(Self.judgement(["aud": audience, "azp": party]) == expected)
    }

    @Test("Texts that are only canonically equal are different texts", .covers(89, 90, 92, 98))
    func kelvinSign() throws {
        let kelvin = "\"\\u212a\""
        #expect(Self.judgement(["aud": "\"K\""]) { $0.clientID = "K" } == "accepted")
        #expect(Self.judgement(["aud": kelvin]) { $0.clientID = "K" } == "jwt.audience")
        #expect(Self.judgement(["azp": kelvin, "aud": "\"K\""]) { $0.clientID = "K" } == "idToken.authorizedParty")
        #expect(Self.judgement(["iss": kelvin]) { $0.issuerAliases = ["K"] } == "jwt.issuer")
        #expect(Self.judgement(["acr": kelvin]) { $0.essentialACRValues = ["K"] } == "idToken.authenticationContext")
        #expect(Self.judgement(["nonce": kelvin]) { $0.nonce = .equal(Secret("K")) } == "idToken.nonce")
        #expect(Self.judgement(["nonce": kelvin]) { $0.nonce = .absentOrEqual(Secret("K")) } == "idToken.nonce")
        let endpoint = try Endpoint("https://as.example/userinfo", name: "userinfo_endpoint")
        let body = Array("{\"sub\":\(kelvin)}".utf8)
        let request = UserInfoRequest(Secret("t"), at: endpoint, subject: "K")
        #expect(outcome { try request.answer(Example.json(), body: body) } == "userInfo.subject")
    }

    @Test(
        "Times fit the clock, with five minutes' tolerance",
        .covers(91),
        arguments: [
            (["exp": "1699999701"], "accepted"), (["exp": "1699999700"], "jwt.time"),
            (["exp": "1"], "jwt.time"),
            (["exp": ""], "jwt.claims"), (["exp": "\"1700003600\""], "jwt.claims"),
            (["exp": "1e300"], "jwt.claims"),
            (["exp": "1e400"], "jwt.claims"), (["exp": "-1"], "jwt.claims"), (["exp": "null"], "jwt.claims"),
            (["exp": "1700003600.5"], "accepted"), (["exp": "1.7000036e9"], "accepted"),
            (["exp": "1700003600000"], "jwt.claims"), (["iat": "1700000300"], "accepted"),
            (["iat": "1700000301"], "jwt.time"), (["iat": "1699913300"], "accepted"),
            (["iat": "1699913299"], "jwt.time"), (["iat": ""], "jwt.claims"), (["iat": "\"x\""], "jwt.claims"),
            (["iat": "true"], "jwt.claims"), (["iat": "0"], "jwt.time"), (["nbf": "1700000300"], "accepted"),
            (["nbf": "1700000301"], "jwt.time"), (["nbf": "1e300"], "jwt.claims"),
            (["nbf": "\"x\""], "jwt.claims"),
            (["nbf": "-1e300"], "jwt.claims"),
        ] as [([String: String], String)]
    )
    func times(changes: [String: String], expected: String) {
        #expect(Self.judgement(changes) == expected)
    }

    @Test("Tolerance and age are settable, and the error speaks of the clock", .covers(91))
    func clock() throws {
        #expect(Self.judgement(["exp": "1699999999"]) { $0.clockTolerance = 0 } == "jwt.time")
        #expect(Self.judgement(["iat": "1699999000"]) { $0.issuedAtLimit = 600 } == "jwt.time")
        #expect(Self.judgement(["iat": "1500000000"]) { $0.issuedAtLimit = .max } == "accepted")
        let thrown = #expect(throws: (any Error).self) { try IDTokens.validate(IDTokens.token(), at: -86_400) }
        let error = try #require(thrown as? ProtocolViolationError)
        #expect("\(error)".contains("86400 s ahead by this machine's clock"))
        #expect(error.recoverySuggestion?.contains("clock") == true)
    }

    @Test(
        "The nonce is the one that was sent, and none where none was",
        .covers(92),
        arguments: [
            ("\"nonce\"", true, "accepted"), ("\"other\"", true, "idToken.nonce"), ("\"\"", true, "idToken.nonce"),
            ("", true, "idToken.nonce"), ("null", true, "idToken.nonce"), ("5", true, "jwt.claims"),
            ("\"Nonce\"", true, "idToken.nonce"), ("", false, "accepted"), ("\"nonce\"", false, "idToken.nonce"),
            ("\"\"", false, "idToken.nonce"),
        ]
    )
    func nonce(value: String, wasSent: Bool, expected: String) {
        let judgement = Self.judgement(["nonce": value]) { if !wasSent { $0.nonce = .absent } }
        #expect(judgement == expected)
    }

    @Test(
        "The subject is a text of 1 to 255 ASCII characters",
        .covers(92),
        arguments: [
            ("", "jwt.claims"), ("\"\"", "jwt.claims"), ("null", "jwt.claims"), ("42", "jwt.claims"),
            ("[\"subject\"]", "jwt.claims"), ("\"" + String(repeating: "s", count: 255) + "\"", "accepted"),
            ("\"" + String(repeating: "s", count: 256) + "\"", "idToken.subject"), ("\"\\u00e9\"", "idToken.subject"),
            ("\"a\\u0000\"", "idToken.subject"), ("\"a\\nb\"", "idToken.subject"),
        ]
    )
    func subject(value: String, expected: String) {
        #expect(Self.judgement(["sub": value]) == expected)
    }

    @Test(
        "max_age asked for means a sign-in that is recent enough, and there at all",
        .covers(93),
        arguments: [
            ("1699999100", "accepted"), ("1699999099", "idToken.authenticationTime"),
            ("", "idToken.authenticationTime"),
            ("null", "idToken.authenticationTime"), ("0", "idToken.authenticationTime"),
            ("\"1700000000\"", "jwt.claims"),
            ("1700000300", "accepted"), ("1700000301", "idToken.authenticationTime"),
            ("1e300", "idToken.authenticationTime"), ("-1e300", "idToken.authenticationTime"),
        ]
    )
    func authenticationTime(value: String, expected: String) {
        #expect(Self.judgement(["auth_time": value]) { $0.maxAge = 600 } == expected)
    }

    @Test(
        "An essential authentication context is met or the token is refused",
        .covers(93),
        arguments: [
            ("\"gold\"", "accepted"), ("\"silver\"", "idToken.authenticationContext"),
            ("", "idToken.authenticationContext"),
            ("5", "jwt.claims"),
        ]
    )
    func authenticationContext(value: String, expected: String) {
        #expect(Self.judgement(["acr": value]) { $0.essentialACRValues = ["platinum", "gold"] } == expected)
    }

    @Test("An authentication context that is not essential may be another one", .covers(93))
    func voluntaryAuthenticationContext() {
        #expect(Self.judgement(["acr": "\"silver\""]) == "accepted")
    }

    private static let rightHash: String = TokenHash.compute(of: "secret", algorithm: .es256) ?? ""
    private static let hashCases: [(String, String)] = [
        ("\"\(Self.rightHash)\"", "accepted"), ("", "accepted"), ("\"\(Self.rightHash.dropLast())\"", "idToken.hash"),
        ("\"\(Self.rightHash)=\"", "idToken.hash"), ("\"\"", "idToken.hash"), ("\"x\"", "idToken.hash"),
        ("5", "jwt.claims"),
    ]

    @Test(
        "A hash of the token or of the code that is there is right",
        .covers(94),
        arguments: ["at_hash", "c_hash"],
        Self.hashCases
    )
    func hashes(name: String, hash: (value: String, expected: String)) {
        let judgement = Self.judgement([name: hash.value]) {
            if name == "at_hash" { $0.accessToken = Secret("secret") } else { $0.code = Secret("secret") }
        }
        #expect(judgement == hash.expected)
    }

    @Test("at_hash is that of the example of the standard", .covers(94))
    func hashVector() throws {
        // OpenID Connect Core 1.0, appendix A.3.
        let accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
        #expect(TokenHash.compute(of: accessToken, algorithm: .rs256) == "77QmUPtjPfzWtF2AnpK9RQ")
    }

    @Test(
        "An ID token of a refresh speaks of the same person, client and sign-in",
        .covers(95),
        arguments: [
            ([:], "accepted"), (["nonce": ""], "accepted"), (["auth_time": ""], "accepted"),
            (["iat": "1700000100", "exp": "1700009999"], "accepted"), (["sub": "\"other\""], "idToken.continuity"),
            (["aud": "[\"client\",\"more\"]", "azp": "\"client\""], "idToken.continuity"),
            (["auth_time": "1699999998"], "idToken.continuity"),
            (["iss": "\"https://evil.example\""], "jwt.issuer"),
            (["aud": "\"other\""], "jwt.audience"), (["nonce": "\"other\""], "idToken.nonce"),
        ] as [([String: String], String)]
    )
    func refresh(changes: [String: String], expected: String) throws {
        let base = ["auth_time": "1699999999"]
        let before = try IDTokens.validate(IDTokens.token(base)).claims
        let judgement = outcome {
            try IDTokens.validate(IDTokens.token(base.merging(changes) { $1 })) {
                $0.nonce = .absentOrEqual(Secret("nonce"))
            }
            .checkContinuity(from: before)
        }
        #expect(judgement == expected)
    }

    @Test("A nonce that appears in a refresh for the first time is another sign-in's", .covers(95))
    func unexpectedNonce() throws {
        let before = try IDTokens.validate(IDTokens.token(["nonce": ""])) { $0.nonce = .absent }.claims
        let after = try IDTokens.validate(IDTokens.token())
        #expect(outcome { try after.checkContinuity(from: before) } == "idToken.continuity")
        #expect(
            outcome { try IDTokens.validate(IDTokens.token()) { $0.nonce = .absentOrEqual(nil) } } == "idToken.nonce"
        )
    }

    @Test("A declared spelling of the issuer is the same issuer in a refresh; an undeclared one is not", .covers(95))
    func refreshedAlias() throws {
        let short = try IDTokens.token(["iss": "\"as.example\""])
        let declared = { (policy: inout IDTokenPolicy) in policy.issuerAliases = ["as.example"] }
        for (before, after) in [(short, try IDTokens.token()), (try IDTokens.token(), short)] {
            let previous = try IDTokens.validate(before, declared).claims
            #expect(outcome { try IDTokens.validate(after, declared).checkContinuity(from: previous) } == "accepted")
        }
        let previous = try IDTokens.validate(short, declared).claims
        #expect(
            outcome { try IDTokens.validate(IDTokens.token()).checkContinuity(from: previous) } == "idToken.continuity"
        )
    }

    @Test(
        "A payload that is no JSON object, or has a claim twice, is refused",
        .covers(81, 96),
        arguments: [
            "[]", "null", "\"x\"", "", "x", "{", "{} ", "\u{FEFF}{}",
            #"{"sub":"a","# + IDTokens.claims().dropFirst(), #"{"\u0073ub":"a","# + IDTokens.claims().dropFirst(),
            #"{"x":{"y":1,"y":2},"# + IDTokens.claims().dropFirst(),
        ]
    )
    func payload(_ text: String) throws {
        let token = Secret(try IDTokens.key.get().sign(payload: Array(text.utf8)))
        #expect(outcome { try IDTokens.validate(token) } == "jwt.claims")
    }
}
