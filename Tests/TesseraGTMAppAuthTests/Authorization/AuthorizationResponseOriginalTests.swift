// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("OIDAuthorizationResponse of AppAuth")
struct AuthorizationResponseOriginalTests {
    private static let receivedAt = Date(timeIntervalSince1970: 1_000)

    private func response(_ parameters: [String: Any]) throws -> OIDAuthorizationResponse {
        OIDAuthorizationResponse(
            request: try AuthorizationRequestOriginalTests.request(),
            parameters: parameters,
            receivedAt: Self.receivedAt
        )
    }

    private func complete() throws -> OIDAuthorizationResponse {
        try self.response([
            "code": "Code", "state": "State", "access_token": "AccessToken", "expires_in": 60, "id_token": "IDToken",
            "token_type": "Token Type", "scope": "Scope", "code_verifier": "Code Verifier", "A": "1",
        ])
    }

    @Test(
        "The parameters fill the properties",
        .original("AppAuth OIDAuthorizationResponseTests.testCopying")
    )
    func properties() throws {
        let response = try self.complete()
        #expect(response.authorizationCode == "Code")
        #expect(response.state == "State")
        #expect(response.accessToken == "AccessToken")
        #expect(response.accessTokenExpirationDate == Date(timeIntervalSince1970: 1_060))
        #expect(response.idToken == "IDToken")
        #expect(response.tokenType == "Token Type")
        #expect(response.scope == "Scope")
    }

    @Test(
        "Unknown parameters are additional parameters",
        .original("AppAuth OIDFieldMapping.remainingParametersWithMap:parameters:instance:")
    )
    func additionalParameters() throws {
        let additional = try #require(try self.complete().additionalParameters)
        #expect(additional as? [String: String] == ["code_verifier": "Code Verifier", "A": "1"])
        #expect(try self.response(["code": "Code"]).additionalParameters?.isEmpty == true)
    }

    @Test(
        "A parameter of the wrong type is an additional parameter",
        .original("AppAuth OIDFieldMapping.remainingParametersWithMap:parameters:instance:")
    )
    func wrongType() throws {
        let response = try self.response(["scope": ["a"], "code": 5, "expires_in": "soon"])
        #expect(response.scope == nil)
        #expect(response.authorizationCode == nil)
        #expect(response.accessTokenExpirationDate == nil)
        let additional = try #require(response.additionalParameters)
        #expect(additional["scope"] as? [String] == ["a"])
        #expect(additional["code"] as? Int == 5)
        #expect(additional["expires_in"] as? String == "soon")
    }

    @Test(
        "The lifetime counts whole seconds from the response",
        .original("AppAuth OIDFieldMapping.dateSinceNowConversion"),
        arguments: [(60, 1_060), (60.9, 1_060), (-5, 995), (-5.9, 995), (300_000_000_000, 300_000_001_000)]
            as [(Double, Double)]
    )
    func lifetime(seconds: Double, end: Double) throws {
        let response = try self.response(["expires_in": NSNumber(value: seconds)])
        #expect(response.accessTokenExpirationDate == Date(timeIntervalSince1970: end))
        #expect(response.additionalParameters?.isEmpty == true)
    }

    @Test(
        "A lifetime in digits is accepted, as in the query of a redirect",
        .original("AppAuth OIDAuthorizationResponse.fieldMap expires_in")
    )
    func textLifetime() throws {
        let response = try self.response(["expires_in": "60"])
        #expect(response.accessTokenExpirationDate == Date(timeIntervalSince1970: 1_060))
        #expect(response.additionalParameters?.isEmpty == true)
    }

    @Test(
        "The code exchange takes its values from the request",
        .original("AppAuth OIDAuthorizationResponse.tokenExchangeRequest")
    )
    func exchange() throws {
        let response = try self.complete()
        let exchange = try #require(response.tokenExchangeRequest())
        #expect(exchange.grantType == "authorization_code")
        #expect(exchange.authorizationCode == "Code")
        #expect(exchange.redirectURL == response.request.redirectURL)
        #expect(exchange.clientID == "ClientID")
        #expect(exchange.clientSecret == "ClientSecret")
        #expect(exchange.codeVerifier == "code verifier")
        #expect(exchange.configuration === response.request.configuration)
        #expect(exchange.scope == nil)
        #expect(exchange.refreshToken == nil)
        #expect(exchange.additionalParameters == [:])
        #expect(exchange.additionalHeaders == [:])
    }

    @Test(
        "The code exchange takes additional parameters and headers, together or alone",
        .original("AppAuth OIDAuthorizationResponse.tokenExchangeRequestWithAdditionalParameters:additionalHeaders:"),
        arguments: [["A": "1"], nil],
        [["B": "2"], nil]
    )
    func exchangeWithMore(parameters: [String: String]?, headers: [String: String]?) throws {
        let exchange = try self.complete()
            .tokenExchangeRequest(withAdditionalParameters: parameters, additionalHeaders: headers)
        #expect(exchange?.additionalParameters == parameters ?? [:])
        #expect(exchange?.additionalHeaders == headers ?? [:])
    }

    @Test(
        "There is no code exchange without a code",
        .original("AppAuth OIDAuthorizationResponse.tokenExchangeRequest")
    )
    func noExchange() throws {
        #expect(try self.response(["state": "State", "id_token": "IDToken"]).tokenExchangeRequest() == nil)
    }

    @Test("An archive has every value", .original("AppAuth OIDAuthorizationResponseTests.testSecureCoding"))
    func archive() throws {
        let data = try AppAuthArchive.archive(try self.complete())
        let copy = try AppAuthArchive.unarchive(OIDAuthorizationResponse.self, from: data)
        #expect(copy.request.clientID == "ClientID")
        #expect(copy.authorizationCode == "Code")
        #expect(copy.state == "State")
        #expect(copy.accessToken == "AccessToken")
        #expect(copy.accessTokenExpirationDate == Date(timeIntervalSince1970: 1_060))
        #expect(copy.idToken == "IDToken")
        #expect(copy.tokenType == "Token Type")
        #expect(copy.scope == "Scope")
        #expect(copy.additionalParameters?["A"] as? String == "1")
    }

    @Test(
        "An archive has the parameters of the wrong type",
        .original("AppAuth OIDAuthorizationResponse.encodeWithCoder:")
    )
    func archivedWrongTypes() throws {
        let response = try self.response(["scope": ["a"], "token_type": NSNull(), "code": "Code"])
        let data = try AppAuthArchive.archive(response)
        let copy = try AppAuthArchive.unarchive(OIDAuthorizationResponse.self, from: data)
        #expect(copy.authorizationCode == "Code")
        #expect(copy.scope == nil)
        #expect(copy.additionalParameters?["scope"] as? [String] == ["a"])
        #expect(copy.additionalParameters?["token_type"] is NSNull)
    }

    @Test("A copy is the same object", .original("AppAuth OIDAuthorizationResponseTests.testCopying"))
    func copy() throws {
        let response = try self.complete()
        let copy = try #require(response.copy() as? OIDAuthorizationResponse)
        #expect(copy === response)
        #expect(copy.request === response.request)
    }

    @Test(
        "The description shows the client and the scope only",
        .original("AppAuth OIDAuthorizationResponse.description")
    )
    func description() throws {
        #expect(try self.complete().description == "OIDAuthorizationResponse, client: ClientID, scope: Scope")
    }

    @Test(
        "A code alone does not authorize a state, but the tokens do",
        .original("AppAuth OIDAuthStateTests.testCodeFlowLifecycle")
    )
    func state() throws {
        let response = try self.response(["code": "Code", "state": "State"])
        let state = OIDAuthState(authorizationResponse: response)
        #expect(state.lastAuthorizationResponse === response)
        #expect(!state.isAuthorized)
        for grantType in [OIDGrantTypeAuthorizationCode, OIDGrantTypeRefreshToken] {
            let tokens = OIDTokenResponse(
                request: OIDTokenRequest(
                    configuration: response.request.configuration,
                    grantType: grantType,
                    clientID: "ClientID"
                ),
                parameters: ["access_token": grantType, "refresh_token": "RefreshToken"]
            )
            state.update(with: tokens, error: nil)
            #expect(state.isAuthorized)
            #expect(state.lastTokenResponse === tokens)
            #expect(state.lastAuthorizationResponse === response)
        }
    }
}
