// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("OIDRegistrationResponse as in AppAuth")
struct RegistrationResponseOriginalTests {
    private static var members: [String: Any] {
        [
            "client_id": "client1", "client_id_issued_at": 1_463_411_161, "client_secret": "secret1",
            "client_secret_expires_at": 1_463_414_761, "registration_access_token": "token1",
            "registration_client_uri": "https://server.example/register?client_id=client1",
            "token_endpoint_auth_method": "client_secret_basic", "extension": "value",
        ]
    }

    private func response(_ changes: [String: Any] = [:]) throws -> OIDRegistrationResponse {
        OIDRegistrationResponse(
            request: try Samples.registrationRequest(),
            parameters: Self.members.merging(changes) { $1 }
        )
    }

    @Test(
        "Reads all members, with times in seconds since 1970",
        .original("AppAuth OIDRegistrationResponseTests.testCopying")
    )
    func members() throws {
        let response = try self.response()
        #expect(response.clientID == "client1")
        #expect(response.clientIDIssuedAt == Date(timeIntervalSince1970: 1_463_411_161))
        #expect(response.clientSecret == "secret1")
        #expect(response.clientSecretExpiresAt == Date(timeIntervalSince1970: 1_463_414_761))
        #expect(response.registrationAccessToken == "token1")
        #expect(response.registrationClientURI?.absoluteString == Self.members["registration_client_uri"] as? String)
        #expect(response.tokenEndpointAuthenticationMethod == "client_secret_basic")
        #expect(response.additionalParameters?["extension"] as? String == "value")
        #expect(response.additionalParameters?["client_id"] == nil)
        #expect(response.request.initialAccessToken == "initial-secret-8")
    }

    @Test(
        "Reads a management URL that is a URL object",
        .original("AppAuth OIDRegistrationResponseTests.testCopying")
    )
    func object() throws {
        let url = try Samples.url("https://server.example/register/1")
        #expect(try self.response(["registration_client_uri": url]).registrationClientURI == url)
    }

    @Test("Is its own copy with the same request", .original("AppAuth OIDRegistrationResponseTests.testCopying"))
    func copy() throws {
        let response = try self.response()
        let copy = try #require(response.copy() as? OIDRegistrationResponse)
        #expect(copy.request === response.request)
        #expect(copy.clientID == "client1")
    }

    @Test(
        "Keeps all properties in an archive",
        .original("AppAuth OIDRegistrationResponseTests.testSecureCoding")
    )
    func archive() throws {
        let response = try self.response()
        let data = try AppAuthArchive.archive(response)
        let copy = try AppAuthArchive.unarchive(OIDRegistrationResponse.self, from: data)
        #expect(copy.clientID == response.clientID)
        #expect(copy.clientIDIssuedAt == response.clientIDIssuedAt)
        #expect(copy.clientSecret == response.clientSecret)
        #expect(copy.clientSecretExpiresAt == response.clientSecretExpiresAt)
        #expect(copy.registrationAccessToken == response.registrationAccessToken)
        #expect(copy.registrationClientURI == response.registrationClientURI)
        #expect(copy.tokenEndpointAuthenticationMethod == response.tokenEndpointAuthenticationMethod)
        #expect(copy.additionalParameters?["extension"] as? String == "value")
        #expect(copy.request.redirectURIs == response.request.redirectURIs)
    }

    @Test(
        "Has no expiration date if the secret never expires",
        .original("AppAuth OIDRegistrationResponse clientSecretExpiresAt")
    )
    func endless() throws {
        #expect(try self.response(["client_secret_expires_at": 0]).clientSecretExpiresAt == nil)
    }

    @Test(
        "Has the members that an incomplete response contains",
        .original("AppAuth OIDRegistrationResponseTests.testMissingClientSecretExpiresAtWithClientSecret")
    )
    func incomplete() throws {
        let request = try Samples.registrationRequest()
        let secret = OIDRegistrationResponse(request: request, parameters: ["client_id": "a", "client_secret": "s"])
        #expect(secret.clientSecret == "s")
        #expect(secret.clientSecretExpiresAt == nil)
        let token = OIDRegistrationResponse(request: request, parameters: ["registration_access_token": "t"])
        #expect(token.registrationAccessToken == "t")
        #expect(token.registrationClientURI == nil)
        #expect(token.clientID.isEmpty)
    }

    @Test(
        "Hides the secret and the token in its description",
        .original("AppAuth OIDRegistrationResponse description")
    )
    func description() throws {
        let description = try self.response().description
        #expect(description.contains("client1"))
        #expect(!description.contains("secret1"))
        #expect(!description.contains("token1"))
    }
}
