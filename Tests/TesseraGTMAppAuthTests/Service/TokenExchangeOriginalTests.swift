// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

@Suite("Token requests as in AppAuth")
struct TokenExchangeOriginalTests {
    /// Returns a request with the given values, whose tokens do not include an ID token.
    private static func request(
        _ program: AppAuthProgram,
        secret: String? = nil,
        parameters: [String: String]? = nil,
        headers: [String: String]? = nil
    ) -> OIDTokenRequest {
        OIDTokenRequest(
            configuration: OIDServiceConfiguration(
                authorizationEndpoint: program.url("https://id.example/authorize"),
                tokenEndpoint: program.url("https://id.example/token")
            ),
            grantType: OIDGrantTypeRefreshToken,
            clientID: "client",
            clientSecret: secret,
            refreshToken: "refresh-secret-1",
            additionalParameters: parameters,
            additionalHeaders: headers
        )
    }

    /// Returns the error for a response of the token endpoint.
    private static func caught(_ response: @autoclosure @escaping @Sendable () -> ScriptedResponse) async throws
        -> CaughtError
    {
        let program = try AppAuthProgram()
        return try await program.run {
            program.network.intercept("/token") { _ in response() }
            return try await CaughtError.thrown {
                try await OIDAuthorizationService.perform(Self.request(program))
            }
        }
    }

    private static func text(_ text: String, _ status: Int, type: String? = nil) -> ScriptedResponse {
        var fields: HTTPFields = [:]
        fields[.contentType] = type
        return ScriptedResponse(
            HTTPResponse(status: .init(code: status), headerFields: fields),
            body: HTTPBody(text)
        )
    }

    private static let tokens = #"{"access_token":"access-1","token_type":"Bearer","expires_in":60}"#

    @Test(
        "Calls back once, on the main queue, with and without an authorization response",
        .original("AppAuth OIDAuthorizationService performTokenRequest:originalAuthorizationResponse:callback:"),
        arguments: [false, true]
    )
    func callback(hasResponse: Bool) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(Self.tokens) }
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            let results = Results<(token: String?, isMain: Bool)>()
            let callback: OIDTokenCallback = { response, error in
                let isMain = DispatchQueue.getSpecific(key: key) == true
                results.take(response.map { ($0.accessToken, isMain) }, error)
            }
            let response = try Samples.authorizationResponse()
            for _ in 1...2 {
                if hasResponse {
                    OIDAuthorizationService.perform(
                        Self.request(program),
                        originalAuthorizationResponse: response,
                        callback: callback
                    )
                } else {
                    OIDAuthorizationService.perform(Self.request(program), callback: callback)
                }
                let result = try await results.next()
                #expect(result.token == "access-1")
                #expect(result.isMain)
            }
            #expect(program.network.requests("/token").count == 2)
        }
    }

    @Test(
        "Reports a failed connection as a network error caused by a URL error",
        .original("AppAuth OIDAuthorizationService performTokenRequest:callback:")
    )
    func connection() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in throw TransportError(.timedOut) }
            let caught = try await CaughtError.thrown {
                try await OIDAuthorizationService.perform(Self.request(program))
            }
            #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.networkError.rawValue])
            #expect(caught.error.userInfo[NSUnderlyingErrorKey] is URLError)
            #expect(caught.cause?.kind == [NSURLErrorDomain, URLError.Code.timedOut.rawValue])
        }
    }

    @Test(
        "Maps each OAuth error to its code",
        .original("AppAuth OIDErrorUtilities OAuthErrorCodeFromString:"),
        arguments: [
            ("invalid_request", -2), ("unauthorized_client", -3), ("invalid_scope", -6), ("invalid_client", -9),
            ("invalid_grant", -10), ("unsupported_grant_type", -11), ("something_else", -0xF000),
        ],
        [400, 401, 403]
    )
    func codes(error: (text: String, code: Int), status: Int) async throws {
        let caught = try await Self.caught(Self.text(#"{"error":"\#(error.text)"}"#, status))
        #expect(caught.kind == [OIDOAuthTokenErrorDomain, error.code])
        #expect(caught.message == error.text)
    }

    @Test(
        "Describes an OAuth error with its description and page",
        .original("AppAuth OIDErrorUtilities OAuthErrorWithDomain:OAuthResponse:underlyingError:"),
        arguments: [
            (#""error_description":"Bad Request""#, "invalid_grant: Bad Request"),
            (#""error_uri":"https://e.example""#, "invalid_grant - https://e.example"),
            (
                #""error_description":"Bad Request","error_uri":"https://e.example""#,
                "invalid_grant: Bad Request - https://e.example"
            ),
            (#""error_description":5"#, "invalid_grant: 5"), (#""error_description":null"#, "invalid_grant"),
        ]
    )
    func description(members: String, message: String) async throws {
        let caught = try await Self.caught(.json(#"{"error":"invalid_grant",\#(members)}"#, status: .badRequest))
        #expect(caught.message == message)
    }

    @Test(
        "Contains the server's complete error response",
        .original("AppAuth OIDErrorUtilities OAuthErrorWithDomain:OAuthResponse:underlyingError:")
    )
    func response() async throws {
        let json = #"{"error":"invalid_grant","error_subtype":"invalid_rapt","claims":{"a":[1,true]},"suberror":"x"}"#
        let response = try await Self.caught(.json(json, status: .badRequest)).response
        #expect(response?["error"] as? String == "invalid_grant")
        #expect(response?["error_subtype"] as? String == "invalid_rapt")
        #expect(response?["suberror"] as? String == "x")
        #expect(((response?["claims"] as? [String: Any])?["a"] as? [Any])?.first as? Int == 1)
    }

    @Test(
        "Reports an OAuth error with the HTTP status and the body as its cause",
        .original("AppAuth OIDErrorUtilities HTTPErrorWithHTTPResponse:data:")
    )
    func cause() async throws {
        let json = #"{"error": "invalid_grant", "error_description": "Bad Request"}"#
        let caught = try await Self.caught(Self.text(json, 400))
        #expect(caught.cause?.kind == [OIDHTTPErrorDomain, 400])
        #expect(caught.cause?.message == json)
    }

    @Test(
        "Reports an error that is not a string as a network error",
        .original("AppAuth OIDErrorUtilities OAuthErrorWithDomain:OAuthResponse:underlyingError:"),
        arguments: ["7", "[\"invalid_grant\"]", "true"]
    )
    func noText(value: String) async throws {
        let caught = try await Self.caught(.json(#"{"error":\#(value)}"#, status: .badRequest))
        #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.networkError.rawValue])
        #expect(caught.cause?.kind == [OIDHTTPErrorDomain, 400])
    }

    @Test(
        "Reports any other status as a server error with the status and the body as its cause",
        .original("AppAuth OIDAuthorizationService performTokenRequest:callback:"),
        arguments: [
            ("Bad Request", 400), (#"{"message":"no"}"#, 400), ("Down", 503), ("Moved", 301),
            (#"{"error":"temporarily_unavailable"}"#, 503), (#"{"error":"invalid_grant"}"#, 500),
        ]
    )
    func status(body: String, status: Int) async throws {
        let caught = try await Self.caught(Self.text(body, status))
        #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.serverError.rawValue])
        #expect(caught.cause?.kind == [OIDHTTPErrorDomain, status])
        #expect(caught.cause?.message == body)
    }

    @Test(
        "Describes a failed request with at most 1,000 characters of the body, unlike AppAuth",
        .original("AppAuth OIDErrorUtilities HTTPErrorWithHTTPResponse:data:")
    )
    func longBody() async throws {
        let caught = try await Self.caught(Self.text(String(repeating: "a", count: 2_000), 500))
        #expect(caught.cause?.message == String(repeating: "a", count: 1_000) + "…")
    }

    @Test(
        "Reports a busy server with status 400 as an OAuth error and with status 429 as a server error",
        .original("AppAuth OIDAuthorizationService performTokenRequest:callback:"),
        arguments: [("temporarily_unavailable", -8), ("server_error", -7)]
    )
    func busy(text: String, code: Int) async throws {
        let json = #"{"error":"\#(text)"}"#
        #expect(try await Self.caught(Self.text(json, 400)).kind == [OIDOAuthTokenErrorDomain, code])
        let busy = try await Self.caught(Self.text(json, 429))
        #expect(busy.kind == [OIDGeneralErrorDomain, OIDErrorCode.serverError.rawValue])
        #expect(busy.cause?.kind == [OIDHTTPErrorDomain, 429])
    }

    @Test(
        "Reports a successful response that is not JSON as a deserialization error",
        .original("AppAuth OIDAuthorizationService performTokenRequest:callback:"),
        arguments: ["JUNK", "", "access_token=a&token_type=Bearer", "{\"access_token\""]
    )
    func junk(body: String) async throws {
        let caught = try await Self.caught(Self.text(body, 200, type: "application/json"))
        #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.jsonDeserializationError.rawValue])
        #expect(caught.cause != nil)
    }

    @Test(
        "Accepts tokens with any content type",
        .original("AppAuth OIDAuthorizationService performTokenRequest:callback:"),
        arguments: ["text/html", "application/json; charset=utf-8", nil]
    )
    func contentType(type: String?) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in Self.text(Self.tokens, 200, type: type) }
            let tokens = try await OIDAuthorizationService.perform(Self.request(program))
            #expect(tokens.accessToken == "access-1")
        }
    }

    @Test(
        "Rejects tokens that are incomplete or of the wrong type",
        .original("AppAuth OIDAuthorizationService performTokenRequest:callback:"),
        arguments: [
            "{}", #"{"access_token":"a"}"#, #"{"access_token":"a","token_type":"example"}"#,
            #"{"access_token":"a","token_type":"Bearer","expires_in":3599.5}"#,
            #"{"access_token":"a","token_type":"Bearer","expires_in":-1}"#,
            #"{"access_token":"a","token_type":"Bearer","refresh_token":""}"#,
            #"{"access_token":"a","token_type":"Bearer","scope":["a"]}"#,
            #"{"access_token":"a","token_type":"Bearer","error":"x"}"#, "[]",
        ]
    )
    func incomplete(body: String) async throws {
        let caught = try await Self.caught(.json(body))
        #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.tokenResponseConstructionError.rawValue])
    }

    @Test(
        "Accepts a response without an ID token to a code exchange with the scope openid",
        .original("AppAuth OIDAuthorizationService performTokenRequest:originalAuthorizationResponse:callback:")
    )
    func noIDToken() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.options.idTokens = { _, _ in nil }
            let state = try await program.state(["openid"])
            #expect(state.isAuthorized)
            #expect(state.lastTokenResponse?.idToken == nil)
        }
    }

    @Test(
        "Sends a client secret with HTTP Basic",
        .original("AppAuth OIDRPProfileCode.testRP_token_endpoint_client_secret_basic")
    )
    func basic() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(Self.tokens) }
            _ = try await OIDAuthorizationService.perform(Self.request(program, secret: "secret"))
            let sent = try #require(program.network.requests("/token").first)
            #expect(sent.head.headerFields[.authorization] == "Basic Y2xpZW50OnNlY3JldA==")
            #expect(sent.formValue("client_id") == nil)
            #expect(sent.formValue("refresh_token") == "refresh-secret-1")
        }
    }

    @Test(
        "Sends additional header fields, even if there is also one that the library sets itself",
        .original("AppAuth OIDTokenRequestTests.testThatAdditionalHeadersAreInTokenRequest")
    )
    func headers() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { _ in .json(Self.tokens) }
            let headers = [
                "X-App": "1", "Accept": "text/plain", "content-type": "text/plain", "Authorization": "Bearer x",
                "not a name": "2", "X-Bad": "a\r\nb",
            ]
            let request = Self.request(program, secret: "secret", headers: headers)
            _ = try await OIDAuthorizationService.perform(request)
            let fields = try #require(program.network.requests("/token").first).head.headerFields
            #expect(fields.first { $0.name.rawName == "X-App" }?.value == "1")
            #expect(fields[.accept] == "application/json")
            #expect(fields[.contentType] == "application/x-www-form-urlencoded")
            #expect(fields[.authorization]?.hasPrefix("Basic ") == true)
            #expect(!fields.contains { $0.name.rawName == "X-Bad" })
        }
    }

    @Test(
        "Counts the lifetime of the tokens from the arrival of the response",
        .original("AppAuth OIDFieldMapping dateSinceNowConversion")
    )
    func lifetime() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let clock = program.network.clock
            program.network.intercept("/token") { _ in
                clock.advance(by: .seconds(10))
                return .json(Self.tokens)
            }
            let sentAt = clock.date
            let tokens = try await OIDAuthorizationService.perform(Self.request(program))
            #expect(tokens.accessTokenExpirationDate == sentAt + 70)
        }
    }

    @Test(
        "Does not repeat secrets that the server repeats in its error",
        .original("AppAuth OIDErrorUtilities HTTPErrorWithHTTPResponse:data:"),
        arguments: [400, 401, 500]
    )
    func secrets(status: Int) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/token") { request in
                Self.text(
                    #"{"error":"invalid_grant","error_description":"\#(request.formValue("refresh_token") ?? "")","#
                        + #""access_token":"access-secret-2","detail":["client\/secret-3", "parameter-secret-4"]}"#,
                    status
                )
            }
            let request = Self.request(
                program,
                secret: "client/secret-3",
                parameters: ["assertion": "parameter-secret-4"]
            )
            let caught = try await CaughtError.thrown { try await OIDAuthorizationService.perform(request) }
            var texts = ""
            dump(caught, to: &texts)
            texts += "\(caught.error) \(caught.error.userInfo) \(caught.cause?.error.userInfo ?? [:])"
            for secret in ["refresh-secret-1", "access-secret-2", "secret-3", "parameter-secret-4"] {
                #expect(!texts.contains(secret), "\(secret)")
            }
            #expect(texts.contains("invalid_grant"))
        }
    }
}
