// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

@Suite("OIDRegistrationRequest as in AppAuth")
struct RegistrationRequestOriginalTests {
    private func request(
        token: String? = nil,
        parameters: [String: Any]? = nil,
        isComplete: Bool = false
    ) throws -> OIDRegistrationRequest {
        OIDRegistrationRequest(
            configuration: try Samples.configuration(),
            redirectURIs: [try Samples.url("com.example.app:/callback"), try Samples.url("https://app.example/cb")],
            responseTypes: isComplete ? ["code", "id_token"] : nil,
            grantTypes: isComplete ? ["authorization_code", "implicit"] : nil,
            subjectType: isComplete ? "pairwise" : nil,
            tokenEndpointAuthMethod: isComplete ? "client_secret_basic" : nil,
            initialAccessToken: token,
            additionalParameters: parameters
        )
    }

    private func body(_ request: OIDRegistrationRequest) throws -> [String: Any] {
        let body = try #require(request.urlRequest().httpBody)
        return try #require(JSONSerialization.jsonObject(with: body) as? [String: Any])
    }

    @Test(
        "Registers a native application",
        .original("AppAuth OIDRegistrationRequestTests.testApplicationIsNativeByDefault")
    )
    func native() throws {
        #expect(try self.request().applicationType == "native")
    }

    @Test(
        "Posts a JSON object with all members and the initial access token",
        .original("AppAuth OIDRegistrationRequestTests.testURLRequest")
    )
    func complete() throws {
        let request = try self.request(token: "test", parameters: ["client_name": "Notes"], isComplete: true)
        let sent = request.urlRequest()
        #expect(sent.httpMethod == "POST")
        #expect(sent.url == request.configuration.registrationEndpoint)
        #expect(sent.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(sent.value(forHTTPHeaderField: "Authorization") == "Bearer test")
        let body = try self.body(request)
        #expect(body["application_type"] as? String == "native")
        #expect(body["redirect_uris"] as? [String] == ["com.example.app:/callback", "https://app.example/cb"])
        #expect(body["response_types"] as? [String] == ["code", "id_token"])
        #expect(body["grant_types"] as? [String] == ["authorization_code", "implicit"])
        #expect(body["subject_type"] as? String == "pairwise")
        #expect(body["token_endpoint_auth_method"] as? String == "client_secret_basic")
        #expect(body["client_name"] as? String == "Notes")
        #expect(body.count == 7)
    }

    @Test(
        "Sends neither a token nor members that are not set",
        .original("AppAuth OIDRegistrationRequest URLRequest")
    )
    func bare() throws {
        let request = try self.request()
        #expect(request.urlRequest().allHTTPHeaderFields == ["Content-Type": "application/json"])
        #expect(Set(try self.body(request).keys) == ["application_type", "redirect_uris"])
    }

    @Test(
        "Sends additional parameters in place of the application type and the redirect URIs, but of no other member",
        .original("AppAuth OIDRegistrationRequest JSONString")
    )
    func replaced() throws {
        let parameters: [String: Any] = [
            "application_type": "web", "redirect_uris": ["https://other.example/"], "subject_type": "public",
            "grant_types": ["refresh_token"],
        ]
        let body = try self.body(try self.request(parameters: parameters, isComplete: true))
        #expect(body["application_type"] as? String == "web")
        #expect(body["redirect_uris"] as? [String] == ["https://other.example/"])
        #expect(body["subject_type"] as? String == "pairwise")
        #expect(body["grant_types"] as? [String] == ["authorization_code", "implicit"])
        let other = try self.body(try self.request(parameters: parameters))
        #expect(other["subject_type"] as? String == "public")
    }

    @Test(
        "Has empty additional parameters if none are given",
        .original("AppAuth OIDRegistrationRequest initWithConfiguration:")
    )
    func noParameters() throws {
        #expect(try self.request().additionalParameters == [:])
    }

    @Test("Is its own copy", .original("AppAuth OIDRegistrationRequestTests.testCopying"))
    func copy() throws {
        let request = try self.request()
        #expect(request.copy() as AnyObject === request)
    }

    @Test(
        "Keeps all properties in an archive",
        .original("AppAuth OIDRegistrationRequestTests.testSecureCoding"),
        arguments: [false, true]
    )
    func archive(isComplete: Bool) throws {
        let request = try self.request(
            token: isComplete ? "test" : nil,
            parameters: isComplete ? ["client_name": "Notes"] : nil,
            isComplete: isComplete
        )
        let data = try AppAuthArchive.archive(request)
        let copy = try AppAuthArchive.unarchive(OIDRegistrationRequest.self, from: data)
        #expect(copy.configuration.tokenEndpoint == request.configuration.tokenEndpoint)
        #expect(copy.initialAccessToken == request.initialAccessToken)
        #expect(copy.redirectURIs == request.redirectURIs)
        #expect(copy.responseTypes == request.responseTypes)
        #expect(copy.grantTypes == request.grantTypes)
        #expect(copy.subjectType == request.subjectType)
        #expect(copy.tokenEndpointAuthenticationMethod == request.tokenEndpointAuthenticationMethod)
        #expect(copy.additionalParameters == request.additionalParameters)
        #expect(copy.applicationType == "native")
    }

    @Test(
        "Has a blank URL and no body without a registration endpoint",
        .original("AppAuth OIDRegistrationRequest URLRequest")
    )
    func nowhere() throws {
        let endpoint = try Samples.url("https://server.example/a")
        let sent = OIDRegistrationRequest(
            configuration: OIDServiceConfiguration(authorizationEndpoint: endpoint, tokenEndpoint: endpoint),
            redirectURIs: [endpoint],
            responseTypes: nil,
            grantTypes: nil,
            subjectType: nil,
            tokenEndpointAuthMethod: nil,
            additionalParameters: nil
        )
        .urlRequest()
        #expect(sent.url?.absoluteString == "about:blank")
        #expect(sent.httpBody == nil)
    }
}
