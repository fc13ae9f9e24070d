// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import Testing
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

@Suite("OIDTokenRequest")
struct TokenRequestTests {
    private func request(
        secret: String? = nil,
        parameters: [String: Any]? = nil,
        headers: [String: String]? = nil
    ) throws -> OIDTokenRequest {
        let endpoint = try Samples.url("https://server.example/token?v=2")
        return OIDTokenRequest(
            configuration: OIDServiceConfiguration(authorizationEndpoint: endpoint, tokenEndpoint: endpoint),
            grantType: OIDGrantTypeRefreshToken,
            authorizationCode: nil,
            redirectURL: nil,
            clientID: "my app",
            clientSecret: secret,
            scopes: ["a", "b"],
            refreshToken: "r+1",
            codeVerifier: nil,
            additionalParameters: parameters,
            additionalHeaders: headers
        )
    }

    private func form(_ request: URLRequest) throws -> FormParameters {
        try FormParameters(decoding: String(decoding: request.httpBody ?? Data(), as: UTF8.self))
    }

    @Test("Sends a public client's ID in the form")
    func publicClient() throws {
        let request = try self.request().urlRequest()
        #expect(request.httpMethod == "POST")
        #expect(request.url?.absoluteString == "https://server.example/token?v=2")
        let type = request.value(forHTTPHeaderField: "Content-Type")
        #expect(type == "application/x-www-form-urlencoded; charset=UTF-8")
        #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
        let body = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
        #expect(body == "grant_type=refresh_token&scope=a%20b&refresh_token=r%2B1&client_id=my%20app")
    }

    @Test("Authenticates a client with HTTP Basic and encoded credentials")
    func basic() throws {
        let request = try self.request(secret: "s:é").urlRequest()
        let credentials = Data("my+app:s%3A%C3%A9".utf8).base64EncodedString()
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Basic \(credentials)")
        #expect(try self.form(request)["client_id"] == nil)
    }

    @Test("Sends each form parameter once")
    func once() throws {
        let form = try self.form(
            try self.request(parameters: ["grant_type": "password", "audience": "x"]).urlRequest()
        )
        #expect(form.repeatedName == nil)
        #expect(form["grant_type"] == "refresh_token")
        #expect(form["audience"] == "x")
    }

    @Test("Adds the app's header fields, except invalid ones")
    func headers() throws {
        let headers = [
            "X-Key": "1", "content-type": "text/plain", "authorization": "Bearer x", "X-Line": "a\r\nX-Evil: 1",
            "bad name": "1",
        ]
        let request = try self.request(secret: "s", headers: headers).urlRequest()
        #expect(request.value(forHTTPHeaderField: "X-Key") == "1")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/plain")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer x")
        #expect(request.value(forHTTPHeaderField: "X-Line") == nil)
        #expect(request.allHTTPHeaderFields?.count == 3)
        let own = try self.request(headers: headers).urlRequest()
        #expect(own.value(forHTTPHeaderField: "Authorization") == "Bearer x")
    }

    @Test("Accepts scopes as a list or a string")
    func ways() throws {
        let configuration = try Samples.configuration()
        let list = OIDTokenRequest(
            configuration: configuration,
            grantType: OIDGrantTypePassword,
            authorizationCode: nil,
            redirectURL: nil,
            clientID: "app",
            clientSecret: nil,
            scopes: ["a", "b"],
            refreshToken: nil,
            codeVerifier: nil,
            additionalParameters: nil
        )
        let text = OIDTokenRequest(
            configuration: configuration,
            grantType: OIDGrantTypePassword,
            authorizationCode: nil,
            redirectURL: nil,
            clientID: "app",
            clientSecret: nil,
            scope: "a b",
            refreshToken: nil,
            codeVerifier: nil,
            additionalParameters: nil
        )
        #expect(list.scope == "a b")
        #expect(text.scope == "a b")
        #expect(list.additionalHeaders == [:])
        #expect(text.additionalParameters == [:])
    }
}
