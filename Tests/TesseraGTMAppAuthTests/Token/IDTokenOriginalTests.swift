// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("OIDIDToken of AppAuth")
struct IDTokenOriginalTests {
    private static func claims(
        issuer: String = #""https://www.example.com""#,
        audience: String = #""a""#,
        expiresAt: String = "2000",
        issuedAt: String = "1000"
    ) -> String {
        #"{"iss":\#(issuer),"sub":"1","aud":\#(audience),"exp":\#(expiresAt),"iat":\#(issuedAt)}"#
    }

    private func token(_ claims: String) -> OIDIDToken? { OIDIDToken(idTokenString: IDTokenTests.token(claims)) }

    @Test("The claims fill the properties", .original("AppAuth OIDIDToken.initWithIDTokenString:"))
    func properties() throws {
        let claims = """
            {"iss":"https://www.example.com","sub":"1","aud":"a","exp":2000,"iat":1000,"nonce":"Nonce","more":{"b":2}}
            """
        let token = try #require(self.token(claims))
        #expect(token.issuer.absoluteString == "https://www.example.com")
        #expect(token.subject == "1")
        #expect(token.audience == ["a"])
        #expect(token.expiresAt == Date(timeIntervalSince1970: 2_000))
        #expect(token.issuedAt == Date(timeIntervalSince1970: 1_000))
        #expect(token.nonce == "Nonce")
        #expect(token.header["alg"] as? String == "RS256")
        #expect(Set(token.claims.keys) == ["iss", "sub", "aud", "exp", "iat", "nonce", "more"])
        #expect((token.claims["more"] as? [String: Any])?["b"] as? Int == 2)
    }

    @Test("A token without a nonce has none", .original("AppAuth OIDIDToken.nonce"))
    func noNonce() throws {
        let token = try #require(self.token(Self.claims()))
        #expect(token.nonce == nil)
    }

    @Test(
        "The audience is a text or a list",
        .original("AppAuth OIDIDToken.fieldMap aud"),
        arguments: [(#""a""#, ["a"]), (#"["a","b"]"#, ["a", "b"]), (#"["a",1]"#, nil), ("5", nil)]
            as [(String, [String]?)]
    )
    func audience(json: String, audience: [String]?) {
        #expect(self.token(Self.claims(audience: json))?.audience == audience)
    }

    @Test(
        "A token needs at least a header and claims",
        .original("AppAuth OIDIDToken.initWithIDTokenString:"),
        arguments: [(1, false), (2, true), (3, true), (4, true)]
    )
    func parts(count: Int, isRead: Bool) {
        let parts = IDTokenTests.token(Self.claims()).split(separator: ".").map(String.init) + ["more"]
        #expect((OIDIDToken(idTokenString: parts.prefix(count).joined(separator: ".")) != nil) == isRead)
    }

    @Test(
        "A token without a required claim is not read",
        .original("AppAuth OIDIDToken.initWithIDTokenString:"),
        arguments: ["iss", "sub", "aud", "exp", "iat"]
    )
    func missing(claim: String) {
        let claims = Self.claims()
        #expect(self.token(claims) != nil)
        #expect(self.token(claims.replacing("\"\(claim)\"", with: "\"other\"")) == nil)
    }

    @Test(
        "A token whose header or claims are not an object is not read",
        .original("AppAuth OIDIDToken.initWithIDTokenString:"),
        arguments: ["[]", "1", "", "{"]
    )
    func noObject(json: String) {
        #expect(self.token(json) == nil)
        #expect(OIDIDToken(idTokenString: IDTokenTests.token(Self.claims(), header: json)) == nil)
    }

    @Test("An issuer does not need a scheme", .original("AppAuth OIDIDToken.fieldMap iss"))
    func issuer() throws {
        let token = try #require(self.token(Self.claims(issuer: #""accounts.google.com""#)))
        #expect(token.issuer.absoluteString == "accounts.google.com")
    }

    @Test(
        "The parts can be in padded Base64 or in base64url",
        .original("AppAuth OIDIDToken.base64urlNoPaddingDecode:"),
        arguments: ["1", "12", "123", "ÿþ?>"]
    )
    func base64(subject: String) throws {
        let claims = Self.claims().replacing(#""sub":"1""#, with: #""sub":"\#(subject)""#)
        let parts = [#"{"alg":"none"}"#, claims].map { Data($0.utf8).base64EncodedString() }
        let urlSafe = parts.map { part in
            part.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        for parts in [parts, urlSafe] {
            let token = try #require(OIDIDToken(idTokenString: parts.joined(separator: ".")))
            #expect(token.subject == subject)
        }
    }

    @Test(
        "Dates are whole seconds since 1970",
        .original("AppAuth OIDIDToken.fieldMap exp"),
        arguments: [("1000.9", 1_000), ("-1", -1), ("0", 0), ("1e3", 1_000)] as [(String, Double)]
    )
    func dates(json: String, seconds: Double) throws {
        let token = try #require(self.token(Self.claims(expiresAt: json, issuedAt: json)))
        #expect(token.expiresAt == Date(timeIntervalSince1970: seconds))
        #expect(token.issuedAt == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "A token with a text as a date is not read",
        .original("AppAuth OIDIDToken.fieldMap exp")
    )
    func textDates() {
        #expect(self.token(Self.claims(expiresAt: #""2000""#)) == nil)
        #expect(self.token(Self.claims(issuedAt: #""1000""#)) == nil)
    }

    @Test(
        "A token with two claims of the same name is not read",
        .original("AppAuth OIDIDToken.initWithIDTokenString:")
    )
    func duplicates() {
        #expect(self.token(Self.claims(issuedAt: #"1000,"iat":1000"#)) == nil)
    }
}
