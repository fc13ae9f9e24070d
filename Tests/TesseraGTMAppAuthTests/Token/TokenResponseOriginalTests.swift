// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("OIDTokenResponse of AppAuth")
struct TokenResponseOriginalTests {
    private func response(_ parameters: [String: Any]) throws -> OIDTokenResponse {
        OIDTokenResponse(
            request: try Samples.tokenRequest(),
            parameters: parameters,
            receivedAt: Date(timeIntervalSince1970: 1_000)
        )
    }

    private func complete() throws -> OIDTokenResponse {
        try self.response([
            "access_token": "2YotnFZFEjr1zCsicMWpAA", "expires_in": 60, "token_type": "example",
            "id_token": "IDToken", "refresh_token": "tGzv3JOkF0XG5Qx2TlKWIA", "scope": "openid profile",
            "example_parameter": "example_value", "nested": ["list": [1, "two", NSNull()] as [Any]],
        ])
    }

    @Test("The members fill the properties", .original("AppAuth OIDTokenResponseTests.testCopying"))
    func properties() throws {
        let response = try self.complete()
        #expect(response.accessToken == "2YotnFZFEjr1zCsicMWpAA")
        #expect(response.accessTokenExpirationDate == Date(timeIntervalSince1970: 1_060))
        #expect(response.tokenType == "example")
        #expect(response.idToken == "IDToken")
        #expect(response.refreshToken == "tGzv3JOkF0XG5Qx2TlKWIA")
        #expect(response.scope == "openid profile")
        #expect(Set((response.additionalParameters ?? [:]).keys) == ["example_parameter", "nested"])
        #expect(response.additionalParameters?["example_parameter"] as? String == "example_value")
    }

    @Test(
        "Members of the wrong type are additional parameters",
        .original("AppAuth OIDFieldMapping.remainingParametersWithMap:parameters:instance:")
    )
    func wrongTypes() throws {
        let response = try self.response(["access_token": 1, "expires_in": NSNull(), "token_type": ["Bearer"]])
        #expect(response.accessToken == nil)
        #expect(response.accessTokenExpirationDate == nil)
        #expect(response.tokenType == nil)
        let additional = try #require(response.additionalParameters)
        #expect(additional["access_token"] as? Int == 1)
        #expect(additional["expires_in"] is NSNull)
        #expect(additional["token_type"] as? [String] == ["Bearer"])
    }

    @Test(
        "A response without a lifetime has no expiration date",
        .original("AppAuth OIDTokenResponse.initWithRequest:parameters:")
    )
    func noLifetime() throws {
        #expect(try self.response(["access_token": "a"]).accessTokenExpirationDate == nil)
    }

    @Test(
        "The lifetime counts from the creation of the response",
        .original("AppAuth OIDFieldMapping.dateSinceNowConversion")
    )
    func now() throws {
        let response = OIDTokenResponse(request: try Samples.tokenRequest(), parameters: ["expires_in": 100_000])
        let seconds = try #require(response.accessTokenExpirationDate?.timeIntervalSinceNow)
        #expect((90_000...100_000).contains(seconds))
    }

    @Test("An archive has every value", .original("AppAuth OIDTokenResponseTests.testSecureCoding"))
    func archive() throws {
        let data = try AppAuthArchive.archive(try self.complete())
        let copy = try AppAuthArchive.unarchive(OIDTokenResponse.self, from: data)
        #expect(copy.request.clientID == "app")
        #expect(copy.accessToken == "2YotnFZFEjr1zCsicMWpAA")
        #expect(copy.accessTokenExpirationDate == Date(timeIntervalSince1970: 1_060))
        #expect(copy.tokenType == "example")
        #expect(copy.idToken == "IDToken")
        #expect(copy.refreshToken == "tGzv3JOkF0XG5Qx2TlKWIA")
        #expect(copy.scope == "openid profile")
        #expect(copy.additionalParameters?["example_parameter"] as? String == "example_value")
        let nested = try #require(copy.additionalParameters?["nested"] as? [String: Any])
        let list = try #require(nested["list"] as? [Any])
        #expect(list[0] as? Int == 1)
        #expect(list[1] as? String == "two")
        #expect(list[2] is NSNull)
    }

    @Test("A copy is the same object", .original("AppAuth OIDTokenResponseTests.testCopying"))
    func copy() throws {
        let response = try self.complete()
        #expect(response.copy() as? OIDTokenResponse === response)
    }
}
