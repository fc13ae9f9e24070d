// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraJSON
internal import Testing
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

@Suite("OIDRegistrationRequest and OIDRegistrationResponse")
struct RegistrationTests {
    @Test("Sends a JSON request with the initial access token")
    func request() throws {
        let request = try Samples.registrationRequest().urlRequest()
        #expect(request.httpMethod == "POST")
        #expect(request.url?.path() == "/register")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer initial-secret-8")
        let body = try JSONValue(parsing: Array(request.httpBody ?? Data()))
        #expect(body["redirect_uris"]?[0]?.string == "com.example.app:/callback")
        #expect(body["application_type"]?.string == "native")
        #expect(body["response_types"]?[0]?.string == "code")
        #expect(body["grant_types"]?[0]?.string == "authorization_code")
        #expect(body["subject_type"]?.string == "pairwise")
        #expect(body["token_endpoint_auth_method"]?.string == "client_secret_basic")
        #expect(body["contacts"]?[0]?.string == "parameter-secret-10")
    }

    @Test("Sends each member once and omits unset values")
    func members() throws {
        let request = OIDRegistrationRequest(
            configuration: try Samples.configuration(),
            redirectURIs: [],
            responseTypes: nil,
            grantTypes: nil,
            subjectType: nil,
            tokenEndpointAuthMethod: nil,
            additionalParameters: ["application_type": "web", "client_name": "App", "deep": ["a": [1, false]]]
        )
        let body = String(decoding: request.urlRequest().httpBody ?? Data(), as: UTF8.self)
        #expect(body == #"{"redirect_uris":[],"application_type":"web","client_name":"App","deep":{"a":[1,false]}}"#)
        #expect(request.urlRequest().value(forHTTPHeaderField: "Authorization") == nil)
        #expect(request.applicationType == OIDApplicationTypeNative)
        #expect(request.initialAccessToken == nil)
    }

    @Test("Sends no token if there is no registration endpoint")
    func nowhere() throws {
        let endpoint = try Samples.url("https://server.example/a")
        let request = OIDRegistrationRequest(
            configuration: OIDServiceConfiguration(authorizationEndpoint: endpoint, tokenEndpoint: endpoint),
            redirectURIs: [],
            responseTypes: nil,
            grantTypes: nil,
            subjectType: nil,
            tokenEndpointAuthMethod: nil,
            initialAccessToken: "initial",
            additionalParameters: nil
        )
        .urlRequest()
        #expect(request.url?.absoluteString == "about:blank")
        #expect(request.httpBody == nil)
        #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test("Parses the client and treats a secret expiry of 0 as no expiry")
    func response() throws {
        let request = try Samples.registrationRequest()
        let response = OIDRegistrationResponse(
            request: request,
            parameters: ["client_id": "a", "client_secret": "s", "client_secret_expires_at": 0, "logo_uri": "x"]
        )
        #expect(response.clientID == "a")
        #expect(response.clientSecret == "s")
        #expect(response.clientSecretExpiresAt == nil)
        #expect(response.additionalParameters?["logo_uri"] as? String == "x")
        #expect(try Samples.registrationResponse().clientSecretExpiresAt == Date(timeIntervalSince1970: 2_000_000))
    }

    @Test("Has an empty client ID if the response has none")
    func noClientID() throws {
        let request = try Samples.registrationRequest()
        for parameters: [String: Any] in [[:], ["client_id": 7], ["client_id": ""]] {
            #expect(OIDRegistrationResponse(request: request, parameters: parameters).clientID.isEmpty)
        }
    }
}
