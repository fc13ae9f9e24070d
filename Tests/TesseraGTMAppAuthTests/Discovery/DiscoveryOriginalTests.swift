// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("OIDServiceDiscovery as in AppAuth")
struct DiscoveryOriginalTests {
    private static let location = "https://op.example"

    /// A document with only the required members.
    private static var minimum: [String: Any] {
        [
            "issuer": self.location, "authorization_endpoint": self.location + "/a",
            "token_endpoint": self.location + "/t", "jwks_uri": self.location + "/k",
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        ]
    }

    /// Returns the document with other members added or replaced.
    private func document(_ members: [String: Any] = [:]) throws -> OIDServiceDiscovery {
        try OIDServiceDiscovery(dictionary: Self.minimum.merging(members) { $1 })
    }

    private func code(_ body: () throws -> OIDServiceDiscovery) -> Int? {
        do {
            _ = try body()
            return nil
        } catch {
            let error = error as NSError
            return error.domain == OIDGeneralErrorDomain ? error.code : nil
        }
    }

    private static let json = #"""
        {"issuer": "https://accounts.google.com",
         "authorization_endpoint": "https://accounts.google.com/o/oauth2/v2/auth",
         "device_authorization_endpoint": "https://oauth2.googleapis.com/device/code",
         "token_endpoint": "https://oauth2.googleapis.com/token",
         "userinfo_endpoint": "https://openidconnect.googleapis.com/v1/userinfo",
         "revocation_endpoint": "https://oauth2.googleapis.com/revoke",
         "jwks_uri": "https://www.googleapis.com/oauth2/v3/certs",
         "response_types_supported": ["code", "token", "id_token"], "subject_types_supported": ["public"],
         "id_token_signing_alg_values_supported": ["RS256"], "scopes_supported": ["openid", "email", "profile"]}
        """#

    @Test(
        "Parses Google's document from a string",
        .original("AppAuth OIDServiceDiscoveryTests.testJSONStringDecoding")
    )
    func string() throws {
        let document = try OIDServiceDiscovery(json: Self.json)
        #expect(document.authorizationEndpoint.absoluteString == "https://accounts.google.com/o/oauth2/v2/auth")
    }

    @Test("Parses Google's document from data", .original("AppAuth OIDServiceDiscoveryTests.testJSONDataDecoding"))
    func data() throws {
        let document = try OIDServiceDiscovery(jsonData: Data(Self.json.utf8))
        #expect(document.authorizationEndpoint.absoluteString == "https://accounts.google.com/o/oauth2/v2/auth")
        #expect(document.issuer.absoluteString == "https://accounts.google.com")
    }

    @Test("Reads a policy URL with http", .original("AppAuth OIDServiceDiscoveryTests.testURLs"))
    func policy() throws {
        let document = try self.document(["op_policy_uri": "http://www.google.com/"])
        #expect(document.opPolicyURI == URL(string: "http://www.google.com/"))
    }

    @Test(
        "Reports text that is not JSON with its cause",
        .original("AppAuth OIDServiceDiscoveryTests.testErrorWhenBadFormat")
    )
    func junk() async throws {
        let caught = try await CaughtError.thrown { try OIDServiceDiscovery(json: "JUNK") }
        #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.jsonDeserializationError.rawValue])
        #expect(caught.cause != nil)
    }

    @Test(
        "Rejects JSON that is not an object",
        .original("AppAuth OIDServiceDiscoveryTests.testErrorWhenRootObjectNotNSDictionary")
    )
    func array() {
        #expect(self.code { try OIDServiceDiscovery(json: "[\"code\"]") } == -2)
    }

    @Test("Rejects an empty dictionary", .original("AppAuth OIDServiceDiscoveryTests.testErrorWhenMissingFields"))
    func empty() {
        #expect(self.code { try OIDServiceDiscovery(dictionary: [:]) } == -2)
    }

    @Test(
        "Requires each required member in a dictionary",
        .original("AppAuth OIDServiceDiscoveryTests.testErrorWhenMissingFieldsJSON"),
        arguments: [
            "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported",
            "subject_types_supported", "id_token_signing_alg_values_supported",
        ]
    )
    func required(name: String) async throws {
        let caught = try await CaughtError.thrown {
            try OIDServiceDiscovery(dictionary: Self.minimum.filter { $0.key != name })
        }
        #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.invalidDiscoveryDocument.rawValue])
        #expect(caught.message.contains("\(name) must be"))
        #expect(caught.message.contains("missing"))
    }

    @Test(
        "Accepts strings in place of the required lists",
        .original("AppAuth OIDServiceDiscoveryTests.testNoErrorWhenNoMissingFields")
    )
    func strings() throws {
        let document = try self.document([
            "response_types_supported": "Response Types", "subject_types_supported": "Subject Types",
            "id_token_signing_alg_values_supported": "Algorithms",
        ])
        #expect(document.responseTypesSupported == ["Response Types"])
        #expect(document.subjectTypesSupported == ["Subject Types"])
        #expect(document.idTokenSigningAlgorithmValuesSupported == ["Algorithms"])
    }

    @Test(
        "Accepts lists with other values and reads their strings",
        .original("AppAuth OIDServiceDiscovery dictionaryHasRequiredFields:error:")
    )
    func mixed() throws {
        let document = try self.document([
            "response_types_supported": ["code", 1, ["x"]] as [Any], "subject_types_supported": 7,
            "scopes_supported": "Scopes", "ui_locales_supported": [1, 2], "claims_supported": ["a": 1],
        ])
        #expect(document.responseTypesSupported == ["code"])
        #expect(document.subjectTypesSupported.isEmpty)
        #expect(document.scopesSupported == ["Scopes"])
        #expect(document.uiLocalesSupported == [])
        #expect(document.claimsSupported == nil)
        #expect(document.discoveryDictionary["subject_types_supported"] as? Int == 7)
    }

    @Test(
        "Rejects a required URL that is relative or null",
        .original("AppAuth OIDServiceDiscoveryTests.pendingTestErrorWhenMalformedFields"),
        arguments: ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"],
        ["abc", nil]
    )
    func malformed(name: String, value: String?) {
        #expect(self.code { try self.document([name: value as Any? ?? NSNull()]) } == -2)
    }

    @Test("Returns an optional relative URL", .original("AppAuth OIDServiceDiscovery endSessionEndpoint"))
    func relative() throws {
        #expect(try self.document(["end_session_endpoint": "abc"]).endSessionEndpoint?.absoluteString == "abc")
    }

    @Test(
        "Has no optional URL if the member is not a string",
        .original("AppAuth OIDServiceDiscovery endSessionEndpoint"),
        arguments: ["12", "null", "true", "[\"https://op.example/end\"]"]
    )
    func noURL(value: String) throws {
        let text = Self.json.replacing("{\"issuer\"", with: "{\"end_session_endpoint\": \(value), \"issuer\"")
        #expect(try OIDServiceDiscovery(json: text).endSessionEndpoint == nil)
    }

    @Test(
        "Rejects a document with two members of one name",
        .original("AppAuth OIDServiceDiscovery initWithJSONData:error:")
    )
    func duplicates() {
        let text = Self.json.replacing("{\"issuer\"", with: "{\"token_endpoint\": \"https://evil.example\", \"issuer\"")
        #expect(self.code { try OIDServiceDiscovery(json: text) } == -7)
    }
}
