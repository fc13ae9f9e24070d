// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Registration as in AppAuth")
struct RegisteringOriginalTests {
    private static let complete = #"""
        {"client_id":"new","client_secret":"s","client_secret_expires_at":1700003600,"client_name":"Notes"}
        """#

    private static func request(
        _ program: AppAuthProgram,
        endpoint: String? = "https://id.example/register",
        parameters: [String: Any]? = nil
    ) -> OIDRegistrationRequest {
        OIDRegistrationRequest(
            configuration: OIDServiceConfiguration(
                authorizationEndpoint: program.url("https://id.example/authorize"),
                tokenEndpoint: program.url("https://id.example/token"),
                registrationEndpoint: endpoint.map { program.url($0) }
            ),
            redirectURIs: [program.url("com.example.app:/callback")],
            responseTypes: nil,
            grantTypes: nil,
            subjectType: nil,
            tokenEndpointAuthMethod: nil,
            initialAccessToken: "initial-secret-1",
            additionalParameters: parameters
        )
    }

    /// Returns the error for a response of the registration endpoint.
    private static func caught(
        _ body: String,
        _ status: Int,
        _ fields: HTTPFields = [:]
    ) async throws -> CaughtError {
        let program = try AppAuthProgram()
        return try await program.run {
            program.network.intercept("/register") { _ in
                ScriptedResponse(
                    HTTPResponse(status: .init(code: status), headerFields: fields),
                    body: HTTPBody(body)
                )
            }
            return try await CaughtError.thrown {
                try await OIDAuthorizationService.perform(Self.request(program))
            }
        }
    }

    @Test(
        "Accepts the statuses 200 and 201 and calls back on the main queue",
        .original("AppAuth OIDAuthorizationService performRegistrationRequest:completion:"),
        arguments: [200, 201]
    )
    func success(status: Int) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/register") { _ in .json(Self.complete, status: .init(code: status)) }
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            let results = Results<(id: String, secret: String?, isMain: Bool)>()
            OIDAuthorizationService.perform(Self.request(program)) { response, error in
                let isMain = DispatchQueue.getSpecific(key: key) == true
                results.take(response.map { ($0.clientID, $0.clientSecret, isMain) }, error)
            }
            let result = try await results.next()
            #expect(result.id == "new")
            #expect(result.secret == "s")
            #expect(result.isMain)
        }
    }

    @Test(
        "Returns the registration from an asynchronous call",
        .original("AppAuth OIDAuthorizationService performRegistrationRequest:completion:")
    )
    func asynchronous() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/register") { _ in .json(Self.complete, status: .created) }
            let response = try await OIDAuthorizationService.perform(Self.request(program))
            #expect(response.clientSecretExpiresAt == Date(timeIntervalSince1970: 1_700_003_600))
            #expect(response.additionalParameters?["client_name"] as? String == "Notes")
        }
    }

    @Test(
        "Sends additional parameters in place of the application type",
        .original("AppAuth OIDRegistrationRequest JSONString")
    )
    func sent() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/register") { _ in .json(Self.complete, status: .created) }
            let request = Self.request(program, parameters: ["application_type": "web", "n": 1])
            _ = try await OIDAuthorizationService.perform(request)
            let sent = try #require(program.network.requests("/register").first)
            let body = try #require(JSONSerialization.jsonObject(with: Data(sent.body)) as? [String: Any])
            #expect(body["application_type"] as? String == "web")
            #expect(body["n"] as? Int == 1)
            #expect(Set(body.keys) == ["application_type", "redirect_uris", "n"])
        }
    }

    @Test(
        "Reports an OAuth error with status 400 in the registration domain",
        .original("AppAuth OIDAuthorizationService performRegistrationRequest:completion:"),
        arguments: [
            ("invalid_redirect_uri", -12), ("invalid_client_metadata", -13), ("invalid_request", -2), ("x", -0xF000),
        ]
    )
    func refused(text: String, code: Int) async throws {
        let caught = try await Self.caught(#"{"error":"\#(text)","more":"m"}"#, 400)
        #expect(caught.kind == [OIDOAuthRegistrationErrorDomain, code])
        #expect(caught.cause?.kind == [OIDHTTPErrorDomain, 400])
        #expect(caught.response?["more"] as? String == "m")
    }

    @Test(
        "Reports any other status as a server error caused by the HTTP status",
        .original("AppAuth OIDAuthorizationService performRegistrationRequest:completion:"),
        arguments: [401, 403, 500, 404, 204]
    )
    func status(status: Int) async throws {
        for body in [#"{"error":"invalid_token"}"#, "No"] {
            let fields: HTTPFields = status == 401 ? [.wwwAuthenticate: #"Bearer error="invalid_token""#] : [:]
            let caught = try await Self.caught(body, status, fields)
            #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.serverError.rawValue])
            #expect(caught.cause?.kind == [OIDHTTPErrorDomain, status])
            if status != 204 { #expect(caught.cause?.message == body) }
        }
    }

    @Test(
        "Reports a registration that is not JSON as a deserialization error",
        .original("AppAuth OIDAuthorizationService performRegistrationRequest:completion:"),
        arguments: ["JUNK", "", "{\"client_id\":\"a\""]
    )
    func junk(body: String) async throws {
        let caught = try await Self.caught(body, 201)
        #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.jsonDeserializationError.rawValue])
        #expect(caught.cause != nil)
    }

    @Test(
        "Reports a registration that lacks a member or belongs to another server as incomplete",
        .original("AppAuth OIDRegistrationResponseTests.testMissingRegistrationAccessTokenWithRegistrationClientURI"),
        arguments: [
            "{}", #"{"client_id":"a","client_secret":"s"}"#, #"{"client_id":"a","registration_access_token":"t"}"#,
            #"{"client_id":"a","registration_client_uri":"https://id.example/register/a"}"#,
            #"{"client_id":"a","registration_access_token":"t","registration_client_uri":"https://evil.example/a"}"#,
            #"{"client_id":"a","registration_access_token":"t","registration_client_uri":"http://id.example/a"}"#,
        ]
    )
    func incomplete(body: String) async throws {
        let caught = try await Self.caught(body, 201)
        #expect(
            caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.registrationResponseConstructionError.rawValue]
        )
    }

    @Test(
        "Sends no request with a parameter that JSON cannot represent",
        .original("AppAuth OIDAuthorizationService performRegistrationRequest:completion:")
    )
    func unencodable() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            for value in [Date(), ["x": Double.nan], [Data()]] as [Any] {
                let request = Self.request(program, parameters: ["client_name": "Notes", "extra": value])
                let caught = try await CaughtError.thrown { try await OIDAuthorizationService.perform(request) }
                #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.jsonSerializationError.rawValue])
                #expect(caught.message.contains("extra"))
            }
            #expect(program.network.requests.isEmpty)
        }
    }

    @Test(
        "Sends no request without a registration endpoint that uses https",
        .original("AppAuth OIDRegistrationRequest URLRequest"),
        arguments: [nil, "http://id.example/register", "abc"]
    )
    func nowhere(endpoint: String?) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let caught = try await CaughtError.thrown {
                try await OIDAuthorizationService.perform(Self.request(program, endpoint: endpoint))
            }
            #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.invalidDiscoveryDocument.rawValue])
            #expect(program.network.requests.isEmpty)
        }
    }

    @Test(
        "Does not repeat the initial access token that the server repeats in its error",
        .original("AppAuth OIDErrorUtilities HTTPErrorWithHTTPResponse:data:")
    )
    func secrets() async throws {
        let caught = try await Self.caught(
            #"{"error":"invalid_request","error_description":"initial-secret-1"}"#,
            400
        )
        let texts = "\(caught.error) \(caught.error.userInfo) \(caught.cause?.error.userInfo ?? [:])"
        #expect(texts.contains("invalid_request"))
        #expect(!texts.contains("initial-secret-1"))
    }
}
