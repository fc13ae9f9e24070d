// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraJOSE
internal import Testing

@Suite("OIDIDToken")
struct IDTokenTests {
    static let token = Self.token(
        """
        {"iss": "https://server.example", "sub": "person-secret-13", "aud": "app", "exp": 2000, "iat": 1000.5,
         "nonce": "nonce-secret-3", "email_verified": true}
        """
    )

    static func token(_ claims: String, header: String = #"{"alg": "RS256"}"#) -> String {
        "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8)).c2ln"
    }

    @Test("Parses the header and the claims")
    func claims() throws {
        let token = try #require(OIDIDToken(idTokenString: Self.token))
        #expect(token.issuer.absoluteString == "https://server.example")
        #expect(token.subject == "person-secret-13")
        #expect(token.audience == ["app"])
        #expect(token.nonce == "nonce-secret-3")
        #expect(token.expiresAt == Date(timeIntervalSince1970: 2_000))
        #expect(token.issuedAt == Date(timeIntervalSince1970: 1_000))
        #expect(token.header["alg"] as? String == "RS256")
        #expect(token.claims["email_verified"] as? Bool == true)
        #expect(token.claims["sub"] as? String == "person-secret-13")
    }

    @Test("Parses a list of audiences")
    func audiences() throws {
        let text = Self.token(#"{"iss":"https://a.example","sub":"1","aud":["a","b"],"exp":1,"iat":1}"#)
        #expect(OIDIDToken(idTokenString: text)?.audience == ["a", "b"])
    }

    @Test(
        "Returns nil for a malformed ID token",
        arguments: [
            "", ".", "..", "a", "a.b", "a.b.c", "e30.e30", "e30.!!!.x", "e30.bnVsbA.x", "W10.W10.W10",
            Self.token("{}"), Self.token(#"{"iss":"https://a.example","sub":"1","aud":"a","exp":1}"#),
            Self.token(#"{"iss":7,"sub":"1","aud":"a","exp":1,"iat":1}"#),
            Self.token(#"{"iss":"https://a.example","sub":"1","aud":[1],"exp":1,"iat":1}"#),
            Self.token(#"{"iss":"https://a.example","sub":"1","aud":"a","exp":1,"iat":1,"iat":2}"#),
            Self.token(#"{"iss":"https://a.example","sub":"1","aud":"a","exp":1e400,"iat":1}"#),
        ]
    )
    func unreadable(text: String) {
        #expect(OIDIDToken(idTokenString: text) == nil)
    }
}
