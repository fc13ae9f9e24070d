// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("ID tokens shared between an app and its server")
struct AppIDTokenTests {
    private static func rule(
        _ changes: [String: String],
        _ change: (inout IDTokenPolicy) -> Void
    ) -> String {
        outcome { _ = try IDTokens.validate(try IDTokens.token(changes), change) }
    }

    @Test(
        "A server accepts only its own tokens requested by itself or one of its apps",
        arguments: [
            (#""client""#, "", true), (#""client""#, #""client""#, true), (#""client""#, #""app-1""#, true),
            (#""client""#, #""app-2""#, true), (#""client""#, #""app-3""#, false), (#""client""#, #""""#, false),
            (#""app-1""#, #""app-1""#, false), (#""app-1""#, "", false), (#""other""#, #""client""#, false),
            (#"["client","other"]"#, #""app-1""#, true), (#"["client","other"]"#, "", false),
        ]
    )
    func server(audience: String, party: String, isAccepted: Bool) {
        let outcome = Self.rule(["aud": audience, "azp": party]) { $0.otherAuthorizedParties = ["app-1", "app-2"] }
        #expect((outcome == "accepted") == isAccepted, "\(outcome)")
    }

    @Test(
        "An app accepts a token for its server only if the app is the authorized party",
        arguments: [
            (#""server""#, #""client""#, true), (#""client""#, #""client""#, true), (#""client""#, "", true),
            (#""server""#, "", false), (#""server""#, #""server""#, false), (#""server""#, #""other""#, false),
            (#""other""#, #""client""#, false), (#"["server","client"]"#, #""client""#, true),
        ]
    )
    func app(audience: String, party: String, isAccepted: Bool) {
        let outcome = Self.rule(["aud": audience, "azp": party]) { $0.otherAudiences = ["server"] }
        #expect((outcome == "accepted") == isAccepted, "\(outcome)")
    }

    @Test("Rejects other audiences and authorized parties by default")
    func strict() {
        #expect(Self.rule(["azp": #""app-1""#]) { _ in }.contains("idToken.authorizedParty"))
        #expect(Self.rule(["aud": #""server""#, "azp": #""client""#]) { _ in }.contains("jwt.audience"))
    }

    @Test("Ignores the nonce if the caller disables the check")
    func nonce() {
        #expect(Self.rule(["nonce": #""whatever""#]) { $0.nonce = .unchecked } == "accepted")
        #expect(Self.rule(["nonce": ""]) { $0.nonce = .unchecked } == "accepted")
        #expect(Self.rule(["nonce": #""whatever""#]) { _ in }.contains("idToken.nonce"))
    }

    @Test("Exchanges a server code with an empty redirect URI and no verifier by default")
    func exchange() throws {
        let client = OAuthClient(clientID: "client", clientSecret: Secret("s"))
        let plain = try TokenRequest.serverAuthCode(ServerAuthCode(Secret("4/code"))).message(client: client)
        #expect(plain.form("grant_type") == ["authorization_code"])
        #expect(plain.form("code") == ["4/code"])
        #expect(plain.form("redirect_uri") == [""])
        #expect(plain.form("code_verifier").isEmpty)
        let page = ServerAuthCode(Secret("4/code"), redirectURI: "postmessage", codeVerifier: Secret("v"))
        let other = try TokenRequest.serverAuthCode(page).message(client: client)
        #expect(other.form("redirect_uri") == ["postmessage"])
        #expect(other.form("code_verifier") == ["v"])
    }

    @Test("Rejects a response to a server code without an ID token")
    func withoutIDToken() throws {
        let request = TokenRequest.serverAuthCode(ServerAuthCode(Secret("4/code")))
        #expect {
            try request.decode(Example.json(), body: Array(Example.response().utf8))
        } throws: { ProtocolViolationError.Rule.idTokenMissing ~= $0 }
    }
}
