// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

@Suite("OIDAuthorizationResponse")
struct AuthorizationResponseTests {
    private func response(_ parameters: [String: Any]) throws -> OIDAuthorizationResponse {
        OIDAuthorizationResponse(
            request: try Samples.authorizationRequest(),
            parameters: parameters,
            receivedAt: Date(timeIntervalSince1970: 100)
        )
    }

    @Test("Creates a token request with the verifier, redirect URI and client")
    func exchange() throws {
        let response = try Samples.authorizationResponse()
        let request = try #require(
            response.tokenExchangeRequest(
                withAdditionalParameters: ["resource": "https://api.example"],
                additionalHeaders: ["X-Key": "1"]
            )
        )
        #expect(request.grantType == OIDGrantTypeAuthorizationCode)
        #expect(request.authorizationCode == "code-secret-5")
        #expect(request.codeVerifier == "verifier-secret-4")
        #expect(request.redirectURL == response.request.redirectURL)
        #expect(request.clientSecret == "client-secret-1")
        #expect(request.scope == nil)
        #expect(request.refreshToken == nil)
        #expect(request.additionalParameters == ["resource": "https://api.example"])
        #expect(request.additionalHeaders == ["X-Key": "1"])
        #expect(response.tokenExchangeRequest()?.additionalParameters == [:])
    }

    @Test("Creates no token request without exactly one code", arguments: [nil, ["a", "b"]])
    func noCode(codes: [String]?) throws {
        var parameters: [String: Any] = ["state": "s"]
        parameters["code"] = codes
        let response = try self.response(parameters)
        #expect(response.authorizationCode == nil)
        #expect(response.tokenExchangeRequest() == nil)
        #expect(response.state == "s")
    }

    @Test("Retains only unknown parameters as additional parameters")
    func additional() throws {
        let response = try self.response(["code": "c", "iss": "https://server.example", "n": 1])
        #expect(Set((response.additionalParameters ?? [:]).keys) == ["iss", "n"])
        #expect(response.additionalParameters?["n"] as? Int == 1)
    }

    @Test(
        "Parses a lifetime from a number or a string of digits",
        arguments: [(60, 160), ("60", 160), (60.9, 160), (-5, 95)] as [(any Sendable, Double)]
    )
    func lifetime(value: any Sendable, end: Double) throws {
        let date = try self.response(["expires_in": value]).accessTokenExpirationDate
        #expect(date == Date(timeIntervalSince1970: end))
    }

    @Test("Ignores an invalid lifetime", arguments: ["", "1h", "-1", "99999999999999999999", "6e1"])
    func noLifetime(text: String) throws {
        #expect(try self.response(["expires_in": text]).accessTokenExpirationDate == nil)
        #expect(try self.response(["expires_in": [60]]).accessTokenExpirationDate == nil)
        #expect(try self.response(["expires_in": Double.infinity]).accessTokenExpirationDate == nil)
    }
}
