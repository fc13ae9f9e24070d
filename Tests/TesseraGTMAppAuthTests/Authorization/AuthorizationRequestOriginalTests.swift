// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("OIDAuthorizationRequest of AppAuth")
struct AuthorizationRequestOriginalTests {
    /// A request with every value, or with the given ones.
    static func request(
        endpoint: String = "https://www.example.com/auth",
        responseType: String = OIDResponseTypeCode,
        scope: String? = "Scope ScopeA",
        additionalParameters: [String: Any]? = ["A": "1"]
    ) throws -> OIDAuthorizationRequest {
        OIDAuthorizationRequest(
            configuration: OIDServiceConfiguration(
                authorizationEndpoint: try Samples.url(endpoint),
                tokenEndpoint: try Samples.url("https://www.example.com/token")
            ),
            clientId: "ClientID",
            clientSecret: "ClientSecret",
            scope: scope,
            redirectURL: try Samples.url("http://www.google.com/"),
            responseType: responseType,
            state: "State",
            nonce: "Nonce",
            codeVerifier: "code verifier",
            codeChallenge: OIDAuthorizationRequest.codeChallengeS256(forVerifier: "code verifier"),
            codeChallengeMethod: OIDOAuthorizationRequestCodeChallengeMethodS256,
            additionalParameters: additionalParameters
        )
    }

    /// A request with generated values.
    static func generated(
        clientSecret: String? = nil,
        scopes: [String]? = ["Scope", "ScopeA"],
        responseType: String = OIDResponseTypeCode
    ) throws -> OIDAuthorizationRequest {
        OIDAuthorizationRequest(
            configuration: try Samples.configuration(),
            clientId: "ClientID",
            clientSecret: clientSecret,
            scopes: scopes,
            redirectURL: try Samples.url("com.example.app:/callback"),
            responseType: responseType,
            additionalParameters: ["A": "1"]
        )
    }

    /// Returns the encoded names and values in the request's URL.
    private func query(_ request: OIDAuthorizationRequest) -> Set<String> {
        let query = request.authorizationRequestURL().absoluteString.drop { $0 != "?" }.dropFirst()
        return Set(query.split(separator: "&").map(String.init))
    }

    @Test(
        "The initializer with scopes stores its arguments",
        .original("AppAuth OIDAuthorizationRequestTests.testScopeInitializerWithManyScopesAndNoClientSecret"),
        arguments: [nil, "ClientSecret"]
    )
    func scopesInitializer(clientSecret: String?) throws {
        let request = try Self.generated(clientSecret: clientSecret)
        #expect(request.clientID == "ClientID")
        #expect(request.clientSecret == clientSecret)
        #expect(request.scope == "Scope ScopeA")
        #expect(request.redirectURL?.absoluteString == "com.example.app:/callback")
        #expect(request.responseType == "code")
        #expect(request.additionalParameters == ["A": "1"])
        #expect(request.configuration.tokenEndpoint.absoluteString == "https://server.example/token")
    }

    @Test(
        "The URL has every value except the client secret and the verifier",
        .original("AppAuth OIDAuthorizationRequest.authorizationRequestURL")
    )
    func parameters() throws {
        let request = try Self.request()
        #expect(
            self.query(request) == [
                "response_type=code", "client_id=ClientID", "redirect_uri=http://www.google.com/",
                "scope=Scope%20ScopeA", "state=State", "nonce=Nonce",
                "code_challenge=Ij_2wzxVOhatleuvRSY540mmufR_0RnOWxvmdQ2b43o", "code_challenge_method=S256", "A=1",
            ]
        )
        #expect(request.authorizationRequestURL().absoluteString.hasPrefix("https://www.example.com/auth?"))
    }

    @Test("The URL has no parameter for nil", .original("AppAuth OIDAuthorizationRequest.authorizationRequestURL"))
    func omitted() throws {
        let request = OIDAuthorizationRequest(
            configuration: try Samples.configuration(),
            clientId: "ClientID",
            clientSecret: nil,
            scope: nil,
            redirectURL: nil,
            responseType: OIDResponseTypeCode,
            state: nil,
            nonce: nil,
            codeVerifier: nil,
            codeChallenge: nil,
            codeChallengeMethod: nil,
            additionalParameters: nil
        )
        #expect(self.query(request) == ["tenant=a%20b", "response_type=code", "client_id=ClientID"])
    }

    @Test(
        "A value is encoded with %20 for a space and without escapes for characters of a query",
        .original("AppAuth OIDURLQueryComponentTests.test_formurlencoded_encoding"),
        arguments: [
            (" %&+£€", "%20%25%26%2B%C2%A3%E2%82%AC"), ("Va=l&u#e2", "Va%3Dl%26u%23e2"), ("a@b.c", "a@b.c"),
            ("a/b?c:d", "a/b?c:d"),
        ]
    )
    func encoding(value: String, encoded: String) throws {
        let request = try Self.request(additionalParameters: ["login_hint": value])
        #expect(self.query(request).contains("login_hint=\(encoded)"))
    }

    @Test(
        "The endpoint's query is kept and its fragment is removed",
        .original("AppAuth OIDURLQueryComponent.URLByReplacingQueryInURL:")
    )
    func endpoint() throws {
        let request = try Self.request(endpoint: "https://www.example.com/auth?p=1#top")
        let url = request.authorizationRequestURL().absoluteString
        #expect(url.hasPrefix("https://www.example.com/auth?p=1&response_type=code&"))
        #expect(!url.contains("#"))
    }

    @Test(
        "An additional parameter does not repeat a value of the request",
        .original("AppAuth OIDURLQueryComponent.addParameters:")
    )
    func repeated() throws {
        let query = self.query(try Self.request(additionalParameters: ["state": "other", "A": "1"]))
        #expect(query.contains("state=State"))
        #expect(!query.contains("state=other"))
        #expect(query.contains("A=1"))
    }

    @Test("Additional parameters are empty for nil", .original("AppAuth OIDAuthorizationRequest.init"))
    func noAdditionalParameters() throws {
        let request = try Self.request(additionalParameters: nil)
        #expect(request.additionalParameters == [:])
        let data = try AppAuthArchive.archive(request)
        #expect(try AppAuthArchive.unarchive(OIDAuthorizationRequest.self, from: data).additionalParameters == [:])
    }

    @Test("A number as an additional parameter becomes text", .original("AppAuth OIDAuthorizationRequest.h"))
    func number() throws {
        let request = try Self.request(additionalParameters: ["max_age": NSNumber(value: 5), "list": ["x"]])
        #expect(request.additionalParameters == ["max_age": "5"])
        #expect(self.query(request).contains("max_age=5"))
    }

    @Test(
        "A state, a nonce and a verifier of 43 characters are generated",
        .original("AppAuth OIDAuthorizationRequest.h state")
    )
    func random() throws {
        let (one, other) = (try Self.generated(), try Self.generated())
        for value in [\OIDAuthorizationRequest.state, \.nonce, \.codeVerifier] {
            let text = try #require(one[keyPath: value])
            #expect(text.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
            #expect(text != other[keyPath: value])
        }
        let query = self.query(one)
        #expect(query.contains("state=\(one.state ?? "")"))
        #expect(query.contains("nonce=\(one.nonce ?? "")"))
    }

    @Test(
        "The app's nonce is used, and none is sent for nil",
        .original("AppAuth OIDAuthorizationRequest.h nonce"),
        arguments: ["mine", nil]
    )
    func nonce(nonce: String?) throws {
        let request = OIDAuthorizationRequest(
            configuration: try Samples.configuration(),
            clientId: "ClientID",
            scopes: nil,
            redirectURL: try Samples.url("http://www.google.com/"),
            responseType: OIDResponseTypeCode,
            nonce: nonce,
            additionalParameters: nil
        )
        #expect(request.nonce == nonce)
        #expect(self.query(request).contains { $0.hasPrefix("nonce=") } == (nonce != nil))
        #expect(request.state?.count == 43)
        #expect(request.codeVerifier?.count == 43)
    }

    @Test(
        "The challenge of a generated verifier uses S256",
        .original("AppAuth OIDAuthorizationRequest.codeChallengeS256ForVerifier:")
    )
    func generatedChallenge() throws {
        let request = try Self.generated()
        #expect(request.codeChallengeMethod == "S256")
        #expect(request.codeChallenge != nil)
        #expect(
            request.codeChallenge == OIDAuthorizationRequest.codeChallengeS256(forVerifier: request.codeVerifier)
        )
    }

    @Test(
        "A code verifier has 43 of the allowed characters",
        .original("AppAuth OIDAuthorizationRequestTests.testPKCEVerifierCompliance")
    )
    func verifiers() throws {
        for _ in 0..<1_000 {
            let verifier = try #require(OIDAuthorizationRequest.generateCodeVerifier())
            #expect(verifier.wholeMatch(of: /[A-Za-z0-9._~-]{43}/) != nil)
        }
    }

    @Test("A generated state has 43 characters", .original("AppAuth OIDAuthorizationRequest.generateState"))
    func state() throws {
        let state = try #require(OIDAuthorizationRequest.generateState())
        #expect(state.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
    }

    @Test(
        "The code challenge is the hash of the verifier",
        .original("AppAuth OIDAuthorizationRequest.codeChallengeS256ForVerifier:"),
        arguments: [
            ("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ("code verifier", "Ij_2wzxVOhatleuvRSY540mmufR_0RnOWxvmdQ2b43o"), (nil, nil),
        ] as [(String?, String?)]
    )
    func challenge(verifier: String?, challenge: String?) {
        #expect(OIDAuthorizationRequest.codeChallengeS256(forVerifier: verifier) == challenge)
    }

    @Test(
        "A user agent opens the request's URL and waits for the scheme of the redirect URL",
        .original("AppAuth OIDAuthorizationRequestTests.testExternalUserAgentMethods")
    )
    func userAgent() throws {
        let request = try Self.request()
        #expect(request.externalUserAgentRequestURL() == request.authorizationRequestURL())
        #expect(request.redirectScheme() == "http")
    }

    @Test(
        "The supported response types are sent unchanged",
        .original("AppAuth OIDAuthorizationRequest.isSupportedResponseType:"),
        arguments: ["code", "code id_token", "id_token code"]
    )
    func responseType(text: String) throws {
        let request = try Self.request(responseType: text)
        #expect(request.responseType == text)
        #expect(self.query(request).contains("response_type=\(text.replacing(" ", with: "%20"))"))
    }

    @Test(
        "A request with another response type is created, but cannot be presented",
        .original("AppAuth OIDAuthorizationRequestTests.testSupportedResponseTypes"),
        arguments: ["code token id_token", "code token", "token", "id_token"]
    )
    func unsupportedResponseType(text: String) async throws {
        let request = try Self.generated(responseType: text)
        #expect(request.responseType == text)
        #expect(try await self.isRejected(request))
        #expect(try await !self.isRejected(try Self.generated()))
    }

    @Test(
        "Scopes with allowed special characters are joined",
        .original("AppAuth OIDAuthorizationRequestTests.testDisallowedCharactersInScopes")
    )
    func allowedScopes() throws {
        #expect(try Self.generated(scopes: ["!", "#", "[", "]", "~"]).scope == "! # [ ] ~")
    }

    @Test(
        "A request with a character that a scope must not contain is created, but cannot be presented",
        .original("AppAuth OIDAuthorizationRequestTests.testDisallowedCharactersInScopes"),
        arguments: ["\"", "\\", "\u{7F}"]
    )
    func disallowedScope(character: String) async throws {
        let request = try Self.generated(scopes: ["a\(character)b"])
        #expect(request.scope == "a\(character)b")
        #expect(try await self.isRejected(request))
        #expect(try await !self.isRejected(try Self.generated(scopes: ["a!b"])))
    }

    @Test(
        "An empty list of scopes is sent as an empty scope",
        .original("AppAuth OIDScopeUtilities.scopesWithArray:"),
        arguments: [([], ""), (nil, nil), (["openid"], "openid")] as [([String]?, String?)]
    )
    func emptyScopes(scopes: [String]?, scope: String?) throws {
        let request = try Self.generated(scopes: scopes)
        #expect(request.scope == scope)
        #expect(self.query(request).first { $0.hasPrefix("scope=") } == scope.map { "scope=\($0)" })
    }

    @Test("A copy is the same object", .original("AppAuth OIDAuthorizationRequestTests.testCopying"))
    func copy() throws {
        let request = try Self.request()
        #expect(request.copy() as? OIDAuthorizationRequest === request)
    }

    @Test("An archive has every value", .original("AppAuth OIDAuthorizationRequestTests.testSecureCoding"))
    func archive() throws {
        let request = try Self.request()
        let data = try AppAuthArchive.archive(request)
        let copy = try AppAuthArchive.unarchive(OIDAuthorizationRequest.self, from: data)
        #expect(copy.configuration.authorizationEndpoint == request.configuration.authorizationEndpoint)
        #expect(copy.configuration.tokenEndpoint == request.configuration.tokenEndpoint)
        #expect(copy.redirectURL == request.redirectURL)
        #expect(copy.additionalParameters == ["A": "1"])
        for value in [\OIDAuthorizationRequest.responseType, \.clientID] {
            #expect(copy[keyPath: value] == request[keyPath: value])
        }
        for value in [
            \OIDAuthorizationRequest.clientSecret, \.scope, \.state, \.nonce, \.codeVerifier, \.codeChallenge,
            \.codeChallengeMethod,
        ] {
            #expect(copy[keyPath: value] != nil)
            #expect(copy[keyPath: value] == request[keyPath: value])
        }
    }

    @Test(
        "The description shows the client, response type and scope only",
        .original("AppAuth OIDAuthorizationRequest.description")
    )
    func description() throws {
        #expect(
            try Self.request().description
                == "OIDAuthorizationRequest, client: ClientID, response type: code, scope: Scope ScopeA"
        )
    }

    /// Presents a request and returns whether the flow fails before the app cancels it.
    private func isRejected(_ request: OIDAuthorizationRequest) async throws -> Bool {
        try await AppAuthProgram()
            .run {
                let ends = Results<OIDAuthorizationResponse>()
                let flow = OIDAuthorizationService.present(
                    request,
                    externalUserAgent: ShownPages(),
                    callback: ends.take
                )
                flow.cancel()
                let failed = await failure { try await ends.next() }
                #expect(failed?.domain == OIDGeneralErrorDomain)
                return failed?.code != OIDErrorCode.userCanceledAuthorizationFlow.rawValue
            }
    }
}
