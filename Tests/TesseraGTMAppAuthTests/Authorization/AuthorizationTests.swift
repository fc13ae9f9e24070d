// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import Testing

@Suite("OIDAuthorizationRequest")
struct AuthorizationTests {
    private func request(
        endpoint: String = "https://server.example/authorize",
        scopes: [String]? = nil,
        additionalParameters: [String: Any]? = nil
    ) throws -> OIDAuthorizationRequest {
        let endpoint = try Samples.url(endpoint)
        return OIDAuthorizationRequest(
            configuration: OIDServiceConfiguration(authorizationEndpoint: endpoint, tokenEndpoint: endpoint),
            clientId: "app",
            scopes: scopes,
            redirectURL: try Samples.url("com.example.app:/callback?a=b"),
            responseType: OIDResponseTypeCode,
            additionalParameters: additionalParameters
        )
    }

    private func query(_ url: URL) throws -> FormParameters {
        let text = url.absoluteString
        return try FormParameters(decoding: String(text[text.index(after: try #require(text.firstIndex(of: "?")))...]))
    }

    @Test("Generates a unique state, nonce and verifier and sends an S256 challenge")
    func defaults() throws {
        let (one, other) = (try self.request(), try self.request())
        for secret in [\OIDAuthorizationRequest.state, \.nonce, \.codeVerifier] {
            #expect(one[keyPath: secret]?.utf8.count == 43)
            #expect(one[keyPath: secret] != other[keyPath: secret])
        }
        #expect(one.codeChallenge == OIDAuthorizationRequest.codeChallengeS256(forVerifier: one.codeVerifier))
        let query = try self.query(one.authorizationRequestURL())
        #expect(query["code_challenge_method"] == "S256")
        #expect(query["state"] == one.state)
        #expect(query["nonce"] == one.nonce)
        #expect(query["code_challenge"] == one.codeChallenge)
        #expect(query["code_verifier"] == nil)
        #expect(query["response_type"] == "code")
        #expect(query["client_id"] == "app")
        #expect(query["redirect_uri"] == "com.example.app:/callback?a=b")
        #expect(one.redirectScheme() == "com.example.app")
        #expect(one.externalUserAgentRequestURL() == one.authorizationRequestURL())
    }

    @Test("Computes the code challenge of RFC 7636, appendix B")
    func challenge() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let challenge = OIDAuthorizationRequest.codeChallengeS256(forVerifier: verifier)
        #expect(challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(OIDAuthorizationRequest.codeChallengeS256(forVerifier: nil) == nil)
        #expect(OIDAuthorizationRequest.generateState()?.utf8.count == 43)
        #expect(OIDAuthorizationRequest.generateCodeVerifier()?.utf8.count == 43)
    }

    @Test("Uses the app's nonce, or none if the app passes nil", arguments: ["mine", nil])
    func nonce(nonce: String?) throws {
        let request = OIDAuthorizationRequest(
            configuration: try Samples.configuration(),
            clientId: "app",
            scopes: nil,
            redirectURL: try Samples.url("com.example.app:/callback"),
            responseType: OIDResponseTypeCode,
            nonce: nonce,
            additionalParameters: nil
        )
        #expect(request.nonce == nonce)
        #expect(try self.query(request.authorizationRequestURL())["nonce"] == nonce)
    }

    @Test("Joins scopes with spaces")
    func scopes() throws {
        let request = try self.request(scopes: [OIDScopeOpenID, OIDScopeEmail])
        #expect(request.scope == "openid email")
        #expect(request.authorizationRequestURL().absoluteString.contains("scope=openid%20email"))
        #expect(try self.request(scopes: []).scope?.isEmpty == true)
        #expect(try self.request(scopes: nil).scope == nil)
    }

    @Test("Preserves the query of the authorization endpoint")
    func query() throws {
        let url = try self.request(endpoint: "https://server.example/authorize?p=B2C_1%20x&q#top")
            .authorizationRequestURL()
        #expect(url.absoluteString.hasPrefix("https://server.example/authorize?p=B2C_1%20x&q&response_type=code"))
        #expect(!url.absoluteString.contains("#"))
    }

    @Test("Sends each parameter once and gives precedence to the request's own values")
    func once() throws {
        let request = try self.request(
            endpoint: "https://server.example/authorize?state=fixed&%63lient_id=other&p=1",
            additionalParameters: ["state": "other", "redirect_uri": "https://evil.example", "prompt": "login"]
        )
        let query = try self.query(request.authorizationRequestURL())
        #expect(query.repeatedName == nil)
        #expect(query["state"] == request.state)
        #expect(query["client_id"] == "app")
        #expect(query["p"] == "1")
        #expect(query["redirect_uri"] == "com.example.app:/callback?a=b")
        #expect(query["prompt"] == "login")
    }

    @Test("Encodes reserved characters in the query")
    func encoding() throws {
        let request = try self.request(additionalParameters: ["login_hint": "a+b c&d=e#é"])
        let url = request.authorizationRequestURL()
        #expect(url.absoluteString.contains("login_hint=a%2Bb%20c%26d%3De%23%C3%A9"))
        #expect(try self.query(url)["login_hint"] == "a+b c&d=e#é")
    }

    @Test("Converts strings, numbers, Booleans and URLs and omits other values")
    func parameters() throws {
        let values: [String: Any] = [
            "text": "a", "object": NSString(string: "b"), "number": 5, "fraction": 1.5, "flag": true,
            "object_number": NSNumber(value: 6), "url": try Samples.url("https://api.example"), "list": ["x"],
        ]
        #expect(
            try self.request(additionalParameters: values).additionalParameters == [
                "text": "a", "object": "b", "number": "5", "fraction": "1.5", "flag": "true", "object_number": "6",
                "url": "https://api.example",
            ]
        )
    }
}
