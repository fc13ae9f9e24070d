// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

@Suite("A discovery document")
struct DiscoveryTests {
    /// The good document with one piece of its text exchanged.
    private func document(_ old: String, _ new: String) throws -> OIDServiceDiscovery {
        let text = Samples.discovery.replacing(old, with: new)
        #expect(text != Samples.discovery)
        return try OIDServiceDiscovery(json: text)
    }

    private func code(_ body: () throws -> OIDServiceDiscovery) -> Int? {
        do {
            _ = try body()
            return nil
        } catch {
            let error = error as NSError
            #expect(error.domain == OIDGeneralErrorDomain)
            return error.code
        }
    }

    @Test("Is read with all its endpoints")
    func endpoints() throws {
        let document = try OIDServiceDiscovery(jsonData: Data(Samples.discovery.utf8))
        #expect(document.issuer.absoluteString == "https://server.example")
        #expect(document.authorizationEndpoint.absoluteString == "https://server.example/authorize?tenant=a%20b")
        #expect(document.deviceAuthorizationEndpoint?.path() == "/device")
        #expect(document.tokenEndpoint.path() == "/token")
        #expect(document.userinfoEndpoint?.path() == "/userinfo")
        #expect(document.jwksURL.path() == "/keys")
        #expect(document.registrationEndpoint?.path() == "/register")
        #expect(document.endSessionEndpoint?.path() == "/end")
        #expect(document.serviceDocumentation?.path() == "/docs")
        #expect(document.opPolicyURI?.path() == "/policy")
        #expect(document.opTosURI?.path() == "/tos")
    }

    @Test("Says what the provider can do, and the standard's defaults where it does not say")
    func capabilities() throws {
        let document = try OIDServiceDiscovery(json: Samples.discovery)
        #expect(document.responseTypesSupported == ["code", "code id_token"])
        #expect(document.subjectTypesSupported == ["public"])
        #expect(document.idTokenSigningAlgorithmValuesSupported == ["RS256"])
        #expect(document.grantTypesSupported == nil)
        #expect(document.claimsParameterSupported)
        #expect(!document.requestParameterSupported)
        #expect(document.requestURIParameterSupported)
        #expect(!document.requireRequestURIRegistration)
    }

    @Test("Is taken from a dictionary")
    func dictionary() throws {
        let members = try OIDServiceDiscovery(json: Samples.discovery).discoveryDictionary
        #expect(try OIDServiceDiscovery(dictionary: members).tokenEndpoint.path() == "/token")
        #expect(
            self.code { try OIDServiceDiscovery(dictionary: [:]) } == OIDErrorCode.invalidDiscoveryDocument.rawValue
        )
    }

    @Test(
        "Without a member that OpenID Connect demands is refused",
        arguments: [
            "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported",
            "subject_types_supported", "id_token_signing_alg_values_supported",
        ]
    )
    func missing(name: String) {
        let code = self.code { try self.document("\"\(name)\"", "\"x\"") }
        #expect(code == OIDErrorCode.invalidDiscoveryDocument.rawValue)
    }

    @Test(
        "With something else in the place of a URL is refused, and ends nothing",
        arguments: ["7", "[\"https://server.example\"]", "{}", "true", "null", "\"no URL\"", "\"\"", "1e400"],
        [
            "\"https://server.example\"", "\"https://server.example/token\"", "\"https://server.example/keys\"",
        ]
    )
    func wrongURL(value: String, url: String) {
        let code = self.code { try self.document(url, value) }
        #expect(code == OIDErrorCode.invalidDiscoveryDocument.rawValue)
    }

    @Test("With a number in the place of an optional URL, or a text in the place of a list, is refused")
    func wrongOptional() {
        let code = OIDErrorCode.invalidDiscoveryDocument.rawValue
        #expect(self.code { try self.document("\"https://server.example/end\"", "12") } == code)
        #expect(self.code { try self.document("[\"openid\", \"email\"]", "\"openid email\"") } == code)
        #expect(self.code { try self.document("[\"openid\", \"email\"]", "[\"openid\", 1]") } == code)
    }

    @Test("With an optional member that is null, or a text that is no URL, is read without it")
    func absentOptional() throws {
        #expect(try self.document("\"https://server.example/end\"", "null").endSessionEndpoint == nil)
        #expect(try self.document("\"https://server.example/end\"", "\"\"").endSessionEndpoint == nil)
    }

    @Test("That names a member twice is refused as no JSON")
    func duplicate() {
        let code = self.code {
            try self.document("{\"issuer\"", "{\"token_endpoint\": \"https://evil.example\", \"issuer\"")
        }
        #expect(code == OIDErrorCode.jsonDeserializationError.rawValue)
    }

    @Test("That is no JSON, or no object, is refused")
    func noDocument() {
        #expect(self.code { try OIDServiceDiscovery(json: "<html>") } == OIDErrorCode.jsonDeserializationError.rawValue)
        #expect(self.code { try OIDServiceDiscovery(json: "[]") } == OIDErrorCode.invalidDiscoveryDocument.rawValue)
        #expect(self.code { try OIDServiceDiscovery(jsonData: Data([0xFF])) } == -7)
    }

    @Test("With a placeholder in the issuer is read")
    func placeholder() throws {
        let document = try self.document("\"https://server.example\"", "\"https://server.example/{tenantid}/v2\"")
        #expect(document.issuer.absoluteString == "https://server.example/%7Btenantid%7D/v2")
    }
}
