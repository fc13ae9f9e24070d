// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

@Suite("OIDTokenRequest of AppAuth")
struct TokenRequestOriginalTests {
    /// A request with every value, or with the given ones.
    private func request(
        grantType: String = OIDGrantTypeAuthorizationCode,
        clientID: String = "ClientID",
        clientSecret: String? = "ClientSecret",
        parameters: [String: Any]? = ["A": "1"],
        headers: [String: String]? = ["B": "2"]
    ) throws -> OIDTokenRequest {
        OIDTokenRequest(
            configuration: try Samples.configuration(),
            grantType: grantType,
            authorizationCode: "Code",
            redirectURL: try Samples.url("http://www.google.com/"),
            clientID: clientID,
            clientSecret: clientSecret,
            scopes: ["Scope", "ScopeA"],
            refreshToken: "r+1",
            codeVerifier: "code verifier",
            additionalParameters: parameters,
            additionalHeaders: headers
        )
    }

    private func body(_ request: OIDTokenRequest) -> Set<String> {
        let body = String(decoding: request.urlRequest().httpBody ?? Data(), as: UTF8.self)
        return Set(body.split(separator: "&").map(String.init))
    }

    @Test("The URL request is a POST to the token endpoint", .original("AppAuth OIDTokenRequest.URLRequest"))
    func method() throws {
        let endpoint = try Samples.url("https://www.example.com/token?v=2")
        let request = OIDTokenRequest(
            configuration: OIDServiceConfiguration(authorizationEndpoint: endpoint, tokenEndpoint: endpoint),
            grantType: OIDGrantTypeClientCredentials,
            clientID: "ClientID"
        )
        #expect(request.urlRequest().httpMethod == "POST")
        #expect(request.urlRequest().url == endpoint)
    }

    @Test(
        "A public client's URL request has only the header of the form",
        .original("AppAuth OIDTokenRequestTests.testURLRequestNoClientAuth")
    )
    func publicClient() throws {
        let request = try self.request(clientSecret: nil, headers: nil)
        let type = "application/x-www-form-urlencoded; charset=UTF-8"
        #expect(request.urlRequest().allHTTPHeaderFields == ["Content-Type": type])
        #expect(self.body(request).contains("client_id=ClientID"))
    }

    @Test(
        "The body has every value and writes a space as %20",
        .original("AppAuth OIDTokenRequest.tokenRequestBody")
    )
    func parameters() throws {
        #expect(
            self.body(try self.request()) == [
                "grant_type=authorization_code", "code=Code", "redirect_uri=http://www.google.com/",
                "scope=Scope%20ScopeA", "refresh_token=r%2B1", "code_verifier=code%20verifier", "A=1",
            ]
        )
    }

    @Test(
        "A client with a secret authenticates with HTTP Basic",
        .original("AppAuth OIDTokenRequestTests.testURLRequestBasicClientAuth"),
        arguments: [
            ("ClientID", "ClientSecret", "Q2xpZW50SUQ6Q2xpZW50U2VjcmV0"),
            ("my app", "s:é", "bXkrYXBwOnMlM0ElQzMlQTk="),
            ("a", "*~", Data("a:*%7E".utf8).base64EncodedString()),
        ]
    )
    func basic(clientID: String, clientSecret: String, credentials: String) throws {
        let request = try self.request(clientID: clientID, clientSecret: clientSecret)
        #expect(request.urlRequest().value(forHTTPHeaderField: "Authorization") == "Basic \(credentials)")
        #expect(!self.body(request).contains { $0.hasPrefix("client_id=") })
    }

    @Test(
        "Additional headers are in the URL request",
        .original("AppAuth OIDTokenRequestTests.testThatAdditionalHeadersAreInTokenRequest")
    )
    func headers() throws {
        let request = try self.request(headers: ["B": "2", "C": "3"]).urlRequest()
        #expect(request.value(forHTTPHeaderField: "B") == "2")
        #expect(request.value(forHTTPHeaderField: "C") == "3")
    }

    @Test(
        "Additional headers replace those of the URL request",
        .original("AppAuth OIDTokenRequest.URLRequest"),
        arguments: ["Authorization", "authorization", "Content-Type", "content-type"]
    )
    func replacedHeaders(name: String) throws {
        let request = try self.request(headers: [name: "Custom"]).urlRequest()
        #expect(request.value(forHTTPHeaderField: name) == "Custom")
        #expect(request.allHTTPHeaderFields?.count == 2)
    }

    @Test(
        "A header that could inject another one is omitted",
        .original("AppAuth OIDTokenRequest.URLRequest"),
        arguments: ["Line\r\nInjected: 1", "Line\nInjected: 1"]
    )
    func injection(value: String) throws {
        let request = try self.request(headers: ["B": value, "bad name": "1", "C": "3"]).urlRequest()
        #expect(request.value(forHTTPHeaderField: "B") == nil)
        #expect(request.value(forHTTPHeaderField: "bad name") == nil)
        #expect(request.value(forHTTPHeaderField: "C") == "3")
    }

    @Test(
        "A performed request has the same parameters as the URL request",
        .original("AppAuth OIDTokenRequest.tokenRequestBody")
    )
    func sentParameters() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(#"{"access_token":"a","token_type":"Bearer"}"#) }
            let request = OIDTokenRequest(
                configuration: try await program.configuration(),
                grantType: OIDGrantTypeClientCredentials,
                clientID: "ClientID",
                scope: "a b*~",
                additionalParameters: ["A": "é+/:"]
            )
            _ = try await OIDAuthorizationService.perform(request)
            let sent = try #require(program.network.requests("/token").first).form
            let body = String(decoding: request.urlRequest().httpBody ?? Data(), as: UTF8.self)
            #expect(Set(sent) == Set(FormParameter.parse(body)))
            #expect(sent.count == 4)
        }
    }

    @Test("Additional parameters and headers are empty for nil", .original("AppAuth OIDTokenRequest.init"))
    func noAdditionalValues() throws {
        let request = try self.request(parameters: nil, headers: nil)
        #expect(request.additionalParameters == [:])
        #expect(request.additionalHeaders == [:])
    }

    @Test(
        "An additional parameter does not repeat a value of the request",
        .original("AppAuth OIDTokenRequest.tokenRequestBody")
    )
    func repeated() throws {
        let body = self.body(try self.request(parameters: ["grant_type": "password", "A": "1"]))
        #expect(body.contains("grant_type=authorization_code"))
        #expect(!body.contains("grant_type=password"))
        #expect(body.contains("A=1"))
    }

    @Test(
        "An additional client ID is sent if the client authenticates with HTTP Basic",
        .original("AppAuth OIDTokenRequest.tokenRequestBody")
    )
    func additionalClientID() throws {
        let body = self.body(try self.request(parameters: ["client_id": "other"]))
        #expect(body.filter { $0.hasPrefix("client_id=") } == ["client_id=other"])
    }

    @Test(
        "A code exchange without a redirect URL is created and has no redirect URL in its body",
        .original("AppAuth OIDTokenRequestTests.testAuthorizationCodeNullRedirectURL")
    )
    func noRedirectURL() throws {
        let request = OIDTokenRequest(
            configuration: try Samples.configuration(),
            grantType: OIDGrantTypeAuthorizationCode,
            authorizationCode: "Code",
            clientID: "ClientID"
        )
        #expect(self.body(request) == ["grant_type=authorization_code", "code=Code", "client_id=ClientID"])
        let data = try AppAuthArchive.archive(request)
        let copy = try AppAuthArchive.unarchive(OIDTokenRequest.self, from: data)
        #expect(copy.grantType == "authorization_code")
        #expect(copy.redirectURL == nil)
    }

    @Test(
        "A list of scopes is joined, and an empty one is sent as an empty scope",
        .original("AppAuth OIDScopeUtilities.scopesWithArray:"),
        arguments: [(["a", "b"], "a b", "scope=a%20b"), ([], "", "scope="), (nil, nil, nil)]
            as [([String]?, String?, String?)]
    )
    func scopes(scopes: [String]?, scope: String?, sent: String?) throws {
        let request = OIDTokenRequest(
            configuration: try Samples.configuration(),
            grantType: OIDGrantTypeClientCredentials,
            authorizationCode: nil,
            redirectURL: nil,
            clientID: "ClientID",
            clientSecret: nil,
            scopes: scopes,
            refreshToken: nil,
            codeVerifier: nil,
            additionalParameters: nil
        )
        let other = OIDTokenRequest(
            configuration: request.configuration,
            grantType: OIDGrantTypeClientCredentials,
            authorizationCode: nil,
            redirectURL: nil,
            clientID: "ClientID",
            clientSecret: nil,
            scope: scope,
            refreshToken: nil,
            codeVerifier: nil,
            additionalParameters: nil
        )
        #expect(request.scope == scope)
        #expect(other.scope == scope)
        #expect(self.body(request).first { $0.hasPrefix("scope=") } == sent)
    }

    @Test("A copy is the same object", .original("AppAuth OIDTokenRequestTests.testCopying"))
    func copy() throws {
        let request = try self.request()
        #expect(request.copy() as? OIDTokenRequest === request)
    }

    @Test("An archive has every value", .original("AppAuth OIDTokenRequestTests.testSecureCoding"))
    func archive() throws {
        let request = try self.request()
        let data = try AppAuthArchive.archive(request)
        let copy = try AppAuthArchive.unarchive(OIDTokenRequest.self, from: data)
        #expect(copy.grantType == request.grantType)
        #expect(copy.clientID == "ClientID")
        #expect(copy.redirectURL == request.redirectURL)
        #expect(copy.configuration.tokenEndpoint == request.configuration.tokenEndpoint)
        for value in [
            \OIDTokenRequest.authorizationCode, \.clientSecret, \.scope, \.refreshToken, \.codeVerifier,
        ] {
            #expect(copy[keyPath: value] != nil)
            #expect(copy[keyPath: value] == request[keyPath: value])
        }
        #expect(copy.additionalParameters == ["A": "1"])
        #expect(copy.additionalHeaders == ["B": "2"])
        #expect(copy.urlRequest().value(forHTTPHeaderField: "B") == "2")
    }

    @Test(
        "The description shows the client, grant type and scope only",
        .original("AppAuth OIDTokenRequest.description")
    )
    func description() throws {
        #expect(
            try self.request().description
                == "OIDTokenRequest, client: ClientID, grant type: authorization_code, scope: Scope ScopeA"
        )
    }
}
