// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Logout at the provider")
struct LogoutTests {
    private static func pending(
        _ endpoint: String = "https://as.example/logout?tenant=a%2Bb",
        redirectURI: String? = Example.redirectURI,
        additionalParameters: [String: String] = [:]
    ) throws -> PendingLogout {
        let request = EndSessionRequest(
            idTokenHint: Secret("a.b.c"),
            postLogoutRedirectURI: try redirectURI.map { try RedirectURI($0) },
            logoutHint: "ada",
            uiLocales: ["de", "en"],
            additionalParameters: additionalParameters
        )
        let client = RegisteredClient(
            Example.client,
            metadata: try Example.metadata(["end_session_endpoint": endpoint.isEmpty ? "" : "\"\(endpoint)\""]),
            runtime: .testing(transport: ScriptedTransport([]))
        )
        return try PendingLogout(request, by: client)
    }

    private static func sent(_ pending: PendingLogout) -> [FormParameter] {
        FormParameter.parse(String(pending.logoutURL.drop { $0 != "?" }.dropFirst()))
    }

    private static func state(_ pending: PendingLogout) -> String {
        self.sent(pending).first { $0.name == "state" }?.value ?? ""
    }

    private static func result(_ pending: PendingLogout, _ redirect: String) -> String {
        let redirect = redirect.replacing("STATE", with: self.state(pending))
        return pending.result(of: .redirect(redirect))
    }

    @Test("Builds the logout URL from the endpoint's query without duplicate parameters", .covers(18, 19, 122))
    func url() throws {
        let pending = try Self.pending(additionalParameters: ["x": "y z"])
        #expect(pending.logoutURL.hasPrefix("https://as.example/logout?tenant=a%2Bb&id_token_hint=a.b.c&"))
        let names = Self.sent(pending).map(\.name)
        #expect(
            names == [
                "tenant", "id_token_hint", "client_id", "post_logout_redirect_uri", "state", "logout_hint",
                "ui_locales", "x",
            ]
        )
        let values = Dictionary(uniqueKeysWithValues: Self.sent(pending).map { ($0.name, $0.value) })
        #expect(values["client_id"] == "client")
        #expect(values["post_logout_redirect_uri"] == Example.redirectURI)
        #expect(values["ui_locales"] == "de en")
        #expect(values["x"] == "y z")
        #expect(values["state"]?.utf8.count == 43)
        #expect(outcome { try Self.pending("https://as.example/logout?state=1") } == "InvalidRequestError state")
        #expect(outcome { try Self.pending("https://as.example/logout?%zz") } == "metadata.endpoint")
        for name in ["state", "id_token_hint", "client_id", "post_logout_redirect_uri"] {
            #expect(outcome { try Self.pending(additionalParameters: [name: "x"]) } == "InvalidRequestError \(name)")
        }
        #expect(outcome { try Self.pending("") } == "metadata.missing")
        #expect("\(pending)".contains("a.b.c") == false)
    }

    @Test(
        "Accepts one redirect only, and only with the state of this logout",
        .covers(26, 27, 30, 36, 122)
    )
    func redirect() throws {
        let pending = try Self.pending()
        let uri = Example.redirectURI
        for (redirect, expected) in [
            (uri + "?state=other", "mismatch: redirect.state"), (uri, "mismatch: redirect.state"),
            (uri + "?state=", "mismatch: redirect.state"), (uri + "#state=STATE", "mismatch: redirect.state"),
            (uri + "?state=STATE&state=STATE", "mismatch: redirect.format"),
            (uri + "?state=%zz", "mismatch: redirect.format"),
            ("http://127.0.0.1:5001/callback?state=STATE", "mismatch: redirect.uri"),
            ("http://127.0.0.1:5000/other?state=STATE", "mismatch: redirect.uri"),
            ("https://evil.example/callback?state=STATE", "mismatch: redirect.uri"), ("", "mismatch: redirect.uri"),
            (uri + "?error=x&state=other", "mismatch: redirect.state"),
            (uri + "?x=" + String(repeating: "x", count: 1 << 16), "mismatch: redirect.format"),
            (uri + "?state=STATE", "signed out"), (uri + "?state=STATE", "redirect.reuse"),
        ] {
            #expect(Self.result(pending, redirect) == expected, "\(redirect.prefix(100))")
        }
        let closed = try Self.pending()
        closed.close()
        #expect(Self.result(closed, uri + "?state=STATE") == "redirect.reuse")
        #expect(Self.result(try Self.pending(), uri + "?error=no&state=STATE") == "OAuthError no")
    }

    @Test("Sends no state and accepts no redirect when there is no redirect URI")
    func withoutRedirect() throws {
        let pending = try Self.pending(redirectURI: nil)
        #expect(!Self.sent(pending).contains { $0.name == "state" || $0.name == "post_logout_redirect_uri" })
        #expect(Self.result(pending, Example.redirectURI + "?state=") == "mismatch: redirect.uri")
    }

    private static let claims = [
        "nonce": "", "jti": "\"j\"", "sid": "\"s\"",
        "events": #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#,
    ]

    private static func logout(
        _ changes: [String: String] = [:],
        type: String? = "logout+jwt",
        key: Result<JWSSigningKey, any Error> = IDTokens.key
    ) throws -> LogoutToken {
        let policy = LogoutTokenPolicy(issuer: try Issuer(Example.issuer), clientID: "client", algorithms: [.es256])
        let token = try IDTokens.token(self.claims.merging(changes) { $1 }, type: type, key: key)
        return try policy.validate(token, keys: IDTokens.keys([IDTokens.published()]), now: IDTokens.now)
    }

    @Test("Reads the subject, session ID and token ID of a logout token")
    func logoutToken() throws {
        let token = try Self.logout()
        #expect(token.subject == "subject")
        #expect(token.sessionID == "s")
        #expect(token.tokenID == "j")
        #expect(token.issuedAt == 1_700_000_000)
        #expect(token.expiresAt == 1_700_003_600)
        #expect(try Self.logout(["sid": ""]).sessionID == nil)
        #expect(try Self.logout(["sub": ""]).subject == nil)
        for type in [nil, "JWT", "Logout+JWT", "application/logout+jwt"] {
            #expect(outcome { try Self.logout(type: type) } == "accepted")
        }
    }

    @Test(
        "Rejects a logout token that violates a rule of back-channel logout",
        .covers(88, 89, 90, 91, 92),
        arguments: [
            (["events": ""], "jwt.claims"), (["events": "{}"], "logoutToken.claims"),
            (["events": "[\"http://schemas.openid.net/event/backchannel-logout\"]"], "logoutToken.claims"),
            (["events": "\"http://schemas.openid.net/event/backchannel-logout\""], "logoutToken.claims"),
            (["events": #"{"http://schemas.openid.net/event/backchannel-logout":true}"#], "logoutToken.claims"),
            (["nonce": "\"n\""], "logoutToken.claims"), (["nonce": "null"], "logoutToken.claims"),
            (["sub": "", "sid": ""], "logoutToken.claims"), (["sub": "\"\""], "jwt.claims"),
            (["sid": "5"], "jwt.claims"), (["sid": "\"\""], "jwt.claims"), (["jti": ""], "jwt.claims"),
            (["jti": "\"\""], "jwt.claims"), (["jti": "5"], "jwt.claims"), (["iat": ""], "jwt.claims"),
            (["exp": ""], "jwt.claims"), (["exp": "1699999000"], "jwt.time"), (["iat": "1700001000"], "jwt.time"),
            (["iss": "\"https://evil.example\""], "jwt.issuer"), (["aud": "\"other\""], "jwt.audience"),
        ]
    )
    func hostileLogoutToken(changes: [String: String], expected: String) throws {
        #expect(outcome { try Self.logout(changes) } == expected, "\(changes)")
    }

    @Test("Rejects a logout token of another type or signed by another key", .covers(88))
    func foreignLogoutToken() throws {
        #expect(outcome { try Self.logout(type: "at+jwt") } == "jwt.type")
        #expect(outcome { try Self.logout(key: IDTokens.otherKey) } == "jwt.signingKey")
        #expect(outcome { try IDTokens.validate(IDTokens.token(Self.claims, type: "logout+jwt")) } == "jwt.type")
    }
}
