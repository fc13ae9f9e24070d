// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

@Suite("OIDServiceDiscovery")
struct DiscoveryTests {
    /// Returns the sample document with part of its text replaced.
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

    @Test("Parses all endpoints")
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

    @Test("Parses capabilities and uses the standard's defaults for missing ones")
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

    @Test("Parses a dictionary")
    func dictionary() throws {
        let members = try OIDServiceDiscovery(json: Samples.discovery).discoveryDictionary
        #expect(try OIDServiceDiscovery(dictionary: members).tokenEndpoint.path() == "/token")
        #expect(
            self.code { try OIDServiceDiscovery(dictionary: [:]) } == OIDErrorCode.invalidDiscoveryDocument.rawValue
        )
    }

    @Test(
        "Rejects a document without a required member",
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
        "Rejects a required URL of the wrong type or form",
        arguments: ["7", "[\"https://server.example\"]", "{}", "true", "null", "\"no URL\"", "\"\"", "1e400"],
        [
            "\"https://server.example\"", "\"https://server.example/token\"", "\"https://server.example/keys\"",
        ]
    )
    func wrongURL(value: String, url: String) {
        let code = self.code { try self.document(url, value) }
        #expect(code == OIDErrorCode.invalidDiscoveryDocument.rawValue)
    }

    @Test("Reads an optional member of the wrong type as far as possible")
    func wrongOptional() throws {
        let scopes = "[\"openid\", \"email\"]"
        #expect(try self.document("\"https://server.example/end\"", "12").endSessionEndpoint == nil)
        #expect(try self.document(scopes, "\"openid email\"").scopesSupported == ["openid email"])
        #expect(try self.document(scopes, "[\"openid\", 1]").scopesSupported == ["openid"])
        #expect(try self.document(scopes, "1").scopesSupported == nil)
    }

    @Test("Ignores an optional URL that is null or empty")
    func absentOptional() throws {
        #expect(try self.document("\"https://server.example/end\"", "null").endSessionEndpoint == nil)
        #expect(try self.document("\"https://server.example/end\"", "\"\"").endSessionEndpoint == nil)
    }

    @Test("Rejects a document with duplicate members as invalid JSON")
    func duplicate() {
        let code = self.code {
            try self.document("{\"issuer\"", "{\"token_endpoint\": \"https://evil.example\", \"issuer\"")
        }
        #expect(code == OIDErrorCode.jsonDeserializationError.rawValue)
    }

    @Test("Rejects a discovery document that is not a JSON object")
    func noDocument() {
        #expect(self.code { try OIDServiceDiscovery(json: "<html>") } == OIDErrorCode.jsonDeserializationError.rawValue)
        #expect(self.code { try OIDServiceDiscovery(json: "[]") } == OIDErrorCode.invalidDiscoveryDocument.rawValue)
        #expect(self.code { try OIDServiceDiscovery(jsonData: Data([0xFF])) } == -7)
    }

    @Test("Accepts a placeholder in the issuer")
    func placeholder() throws {
        let document = try self.document("\"https://server.example\"", "\"https://server.example/{tenantid}/v2\"")
        #expect(document.issuer.absoluteString == "https://server.example/%7Btenantid%7D/v2")
    }
}
