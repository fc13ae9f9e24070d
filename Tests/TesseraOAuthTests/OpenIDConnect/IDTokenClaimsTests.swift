// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TestTraits
internal import Testing

@Suite("ID token claims")
struct IDTokenClaimsTests {
    private static func result(
        _ changes: [String: String],
        _ change: (inout IDTokenPolicy) -> Void = { _ in }
    ) -> String {
        outcome { try IDTokens.validate(IDTokens.token(changes), change) }
    }

    @Test(
        "Compares the issuer as an exact string",
        .covers(89),
        arguments: [
            ("\"https://evil.example\"", "jwt.issuer"), ("\"https://as.example/\"", "jwt.issuer"),
            ("\"https://AS.example\"", "jwt.issuer"), ("\"as.example\"", "jwt.issuer"), ("", "jwt.claims"),
            ("\"\"", "jwt.claims"), ("null", "jwt.claims"), ("5", "jwt.claims"),
            ("[\"https://as.example\"]", "jwt.claims"), ("\"https:\\/\\/as.example\"", "accepted"),
        ]
    )
    func issuer(value: String, expected: String) {
        #expect(Self.result(["iss": value]) == expected)
    }

    @Test("Accepts an issuer alias only if it is declared", .covers(89))
    func alias() {
        let changes = ["iss": "\"as.example\""]
        #expect(Self.result(changes) == "jwt.issuer")
        #expect(Self.result(changes) { $0.issuerAliases = ["as.example"] } == "accepted")
        #expect(Self.result(["iss": "\"as.example/\""]) { $0.issuerAliases = ["as.example"] } == "jwt.issuer")
    }

    @Test(
        "Requires this client as the audience, and azp if there are several audiences",
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
        #expect(Self.result(["aud": audience, "azp": party]) == expected)
    }

    @Test("Does not treat canonically equivalent claims as equal", .covers(89, 90, 92, 98))
    func kelvinSign() throws {
        let kelvin = "\"\\u212a\""
        #expect(Self.result(["aud": "\"K\""]) { $0.clientID = "K" } == "accepted")
        #expect(Self.result(["aud": kelvin]) { $0.clientID = "K" } == "jwt.audience")
        #expect(Self.result(["azp": kelvin, "aud": "\"K\""]) { $0.clientID = "K" } == "idToken.authorizedParty")
        #expect(Self.result(["iss": kelvin]) { $0.issuerAliases = ["K"] } == "jwt.issuer")
        #expect(Self.result(["acr": kelvin]) { $0.essentialACRValues = ["K"] } == "idToken.authenticationContext")
        #expect(Self.result(["nonce": kelvin]) { $0.nonce = .equal(Secret("K")) } == "idToken.nonce")
        #expect(Self.result(["nonce": kelvin]) { $0.nonce = .absentOrEqual(Secret("K")) } == "idToken.nonce")
        let endpoint = try Endpoint("https://as.example/userinfo", name: "userinfo_endpoint")
        let body = Array("{\"sub\":\(kelvin)}".utf8)
        let request = UserInfoRequest(Secret("t"), at: endpoint, subject: "K")
        #expect(outcome { try request.decode(Example.json(), body: body) } == "userInfo.subject")
    }

    @Test(
        "Checks exp, iat and nbf with a tolerance of five minutes",
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
        #expect(Self.result(changes) == expected)
    }

    @Test("Honors a custom tolerance and age, and the error mentions the clock", .covers(91))
    func clock() throws {
        #expect(Self.result(["exp": "1699999999"]) { $0.clockTolerance = 0 } == "jwt.time")
        #expect(Self.result(["iat": "1699999000"]) { $0.issuedAtLimit = 600 } == "jwt.time")
        #expect(Self.result(["iat": "1500000000"]) { $0.issuedAtLimit = .max } == "accepted")
        let thrown = #expect(throws: (any Error).self) { try IDTokens.validate(IDTokens.token(), at: -86_400) }
        let error = try #require(thrown as? ProtocolViolationError)
        #expect("\(error)".contains("86400 s ahead by this machine's clock"))
        #expect(error.recoverySuggestion?.contains("clock") == true)
    }

    @Test(
        "Requires the nonce that was sent, or no nonce if none was sent",
        .covers(92),
        arguments: [
            ("\"nonce\"", true, "accepted"), ("\"other\"", true, "idToken.nonce"), ("\"\"", true, "idToken.nonce"),
            ("", true, "idToken.nonce"), ("null", true, "idToken.nonce"), ("5", true, "jwt.claims"),
            ("\"Nonce\"", true, "idToken.nonce"), ("", false, "accepted"), ("\"nonce\"", false, "idToken.nonce"),
            ("\"\"", false, "idToken.nonce"),
        ]
    )
    func nonce(value: String, wasSent: Bool, expected: String) {
        let result = Self.result(["nonce": value]) { if !wasSent { $0.nonce = .absent } }
        #expect(result == expected)
    }

    @Test(
        "Requires a subject of 1 to 255 ASCII characters",
        .covers(92),
        arguments: [
            ("", "jwt.claims"), ("\"\"", "jwt.claims"), ("null", "jwt.claims"), ("42", "jwt.claims"),
            ("[\"subject\"]", "jwt.claims"), ("\"" + String(repeating: "s", count: 255) + "\"", "accepted"),
            ("\"" + String(repeating: "s", count: 256) + "\"", "idToken.subject"), ("\"\\u00e9\"", "idToken.subject"),
            ("\"a\\u0000\"", "idToken.subject"), ("\"a\\nb\"", "idToken.subject"),
        ]
    )
    func subject(value: String, expected: String) {
        #expect(Self.result(["sub": value]) == expected)
    }

    @Test(
        "Requires a recent auth_time if max_age was requested",
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
        #expect(Self.result(["auth_time": value]) { $0.maxAge = 600 } == expected)
    }

    @Test(
        "Rejects a token that does not satisfy an essential acr value",
        .covers(93),
        arguments: [
            ("\"gold\"", "accepted"), ("\"silver\"", "idToken.authenticationContext"),
            ("", "idToken.authenticationContext"),
            ("5", "jwt.claims"),
        ]
    )
    func authenticationContext(value: String, expected: String) {
        #expect(Self.result(["acr": value]) { $0.essentialACRValues = ["platinum", "gold"] } == expected)
    }

    @Test("Accepts any acr value if none is essential", .covers(93))
    func voluntaryAuthenticationContext() {
        #expect(Self.result(["acr": "\"silver\""]) == "accepted")
    }

    private static let rightHash: String = TokenHash.compute(of: "secret", algorithm: .es256) ?? ""
    private static let hashCases: [(String, String)] = [
        ("\"\(Self.rightHash)\"", "accepted"), ("", "accepted"), ("\"\(Self.rightHash.dropLast())\"", "idToken.hash"),
        ("\"\(Self.rightHash)=\"", "idToken.hash"), ("\"\"", "idToken.hash"), ("\"x\"", "idToken.hash"),
        ("5", "jwt.claims"),
    ]

    @Test(
        "Rejects a wrong at_hash or c_hash",
        .covers(94),
        arguments: ["at_hash", "c_hash"],
        Self.hashCases
    )
    func hashes(name: String, hash: (value: String, expected: String)) {
        let result = Self.result([name: hash.value]) {
            if name == "at_hash" { $0.accessToken = Secret("secret") } else { $0.code = Secret("secret") }
        }
        #expect(result == hash.expected)
    }

    @Test("Computes the at_hash of the example in OpenID Connect Core", .covers(94))
    func hashVector() throws {
        // OpenID Connect Core 1.0, appendix A.3.
        let accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
        #expect(TokenHash.compute(of: accessToken, algorithm: .rs256) == "77QmUPtjPfzWtF2AnpK9RQ")
    }

    @Test(
        "An ID token from a refresh must have the same user, audience and auth_time",
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
        let result = outcome {
            try IDTokens.validate(IDTokens.token(base.merging(changes) { $1 })) {
                $0.nonce = .absentOrEqual(Secret("nonce"))
            }
            .checkContinuity(from: before)
        }
        #expect(result == expected)
    }

    @Test("Rejects a nonce that first appears in a refresh", .covers(95))
    func unexpectedNonce() throws {
        let before = try IDTokens.validate(IDTokens.token(["nonce": ""])) { $0.nonce = .absent }.claims
        let after = try IDTokens.validate(IDTokens.token())
        #expect(outcome { try after.checkContinuity(from: before) } == "idToken.continuity")
        #expect(
            outcome { try IDTokens.validate(IDTokens.token()) { $0.nonce = .absentOrEqual(nil) } } == "idToken.nonce"
        )
    }

    @Test("Treats a declared issuer alias as the same issuer in a refresh", .covers(95))
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
        "Rejects a payload that is not a JSON object or has duplicate claims",
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
