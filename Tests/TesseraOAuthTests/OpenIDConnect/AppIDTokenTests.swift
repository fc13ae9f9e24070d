// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("ID tokens that one client of a program asks for and another takes")
struct AppIDTokenTests {
    private static func rule(
        _ changes: [String: String],
        _ change: (inout IDTokenPolicy) -> Void
    ) -> String {
        outcome { _ = try IDTokens.validate(try IDTokens.token(changes), change) }
    }

    @Test(
        "A server takes a token for itself that it or one of its apps asked for, and no other",
        arguments: [
            (#""client""#, "", true), (#""client""#, #""client""#, true), (#""client""#, #""app-1""#, true),
            (#""client""#, #""app-2""#, true), (#""client""#, #""app-3""#, false), (#""client""#, #""""#, false),
            (#""app-1""#, #""app-1""#, false), (#""app-1""#, "", false), (#""other""#, #""client""#, false),
            (#"["client","other"]"#, #""app-1""#, true), (#"["client","other"]"#, "", false),
        ]
    )
    func server(audience: String, party: String, isTaken: Bool) {
        let outcome = Self.rule(["aud": audience, "azp": party]) { $0.otherAuthorizedParties = ["app-1", "app-2"] }
        #expect((outcome == "accepted") == isTaken, "\(outcome)")
    }

    @Test(
        "An app takes a token for its server where the token says that the app asked, and no other",
        arguments: [
            (#""server""#, #""client""#, true), (#""client""#, #""client""#, true), (#""client""#, "", true),
            (#""server""#, "", false), (#""server""#, #""server""#, false), (#""server""#, #""other""#, false),
            (#""other""#, #""client""#, false), (#"["server","client"]"#, #""client""#, true),
        ]
    )
    func app(audience: String, party: String, isTaken: Bool) {
        let outcome = Self.rule(["aud": audience, "azp": party]) { $0.otherAudiences = ["server"] }
        #expect((outcome == "accepted") == isTaken, "\(outcome)")
    }

    @Test("Without being told, neither is taken")
    func strict() {
        #expect(Self.rule(["azp": #""app-1""#]) { _ in }.contains("idToken.authorizedParty"))
        #expect(Self.rule(["aud": #""server""#, "azp": #""client""#]) { _ in }.contains("jwt.audience"))
    }

    @Test("A nonce that another client sent is not looked at, where the caller says so")
    func nonce() {
        #expect(Self.rule(["nonce": #""whatever""#]) { $0.nonce = .unchecked } == "accepted")
        #expect(Self.rule(["nonce": ""]) { $0.nonce = .unchecked } == "accepted")
        #expect(Self.rule(["nonce": #""whatever""#]) { _ in }.contains("idToken.nonce"))
    }

    @Test("A server's code goes out with an empty redirect URI and without a verifier, unless it has them")
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

    @Test("An answer without an ID token is refused: nobody knows whose the code was")
    func withoutIDToken() throws {
        let request = TokenRequest.serverAuthCode(ServerAuthCode(Secret("4/code")))
        #expect {
            try request.answer(Example.json(), body: Array(Example.answer().utf8))
        } throws: { ProtocolViolationError.Rule.idTokenMissing ~= $0 }
    }
}
