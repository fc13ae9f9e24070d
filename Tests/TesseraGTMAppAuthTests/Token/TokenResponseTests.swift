// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

@Suite("OIDTokenResponse")
struct TokenResponseTests {
    @Test("Parses the known members and retains the others")
    func members() throws {
        let response = try Samples.tokenResponse()
        #expect(response.accessToken == "access-secret-6")
        #expect(response.refreshToken == "refresh-secret-7")
        #expect(response.accessTokenExpirationDate == Date(timeIntervalSince1970: 1_003_600))
        #expect(response.idToken == "eyJzZWNyZXQiOjEyfQ")
        #expect(response.scope == "openid")
        #expect(Set((response.additionalParameters ?? [:]).keys) == ["other"])
    }

    @Test("Compares the token type case-insensitively")
    func type() throws {
        let response = try Samples.tokenResponse()
        #expect(response.tokenType == "bearer")
        #expect(response.hasTokenType("Bearer"))
        #expect(!response.hasTokenType("DPoP"))
    }

    @Test("Retains members of the wrong type as additional parameters")
    func wrongTypes() throws {
        let response = OIDTokenResponse(
            request: try Samples.tokenRequest(),
            parameters: ["access_token": 1, "expires_in": NSNull(), "token_type": ["Bearer"], "refresh_token": true]
        )
        #expect(response.accessToken == nil)
        #expect(response.tokenType == nil)
        #expect(response.refreshToken == nil)
        #expect(response.accessTokenExpirationDate == nil)
        let members = response.additionalParameters ?? [:]
        #expect(Set(members.keys) == ["access_token", "expires_in", "token_type", "refresh_token"])
        #expect(members["refresh_token"] as? Bool == true)
        #expect(!response.hasTokenType("Bearer"))
    }

    @Test("Counts the lifetime from the current time by default")
    func now() throws {
        let response = OIDTokenResponse(request: try Samples.tokenRequest(), parameters: ["expires_in": "100000"])
        let seconds = try #require(response.accessTokenExpirationDate?.timeIntervalSinceNow)
        #expect((90_000...100_000).contains(seconds))
    }
}
