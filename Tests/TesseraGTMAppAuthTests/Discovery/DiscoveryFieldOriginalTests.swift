// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("Members of OIDServiceDiscovery as in AppAuth")
struct DiscoveryFieldOriginalTests {
    /// Returns the sample document with other members added or replaced.
    private func document(_ members: [String: Any]) throws -> OIDServiceDiscovery {
        let sample = try OIDServiceDiscovery(json: Samples.discovery).discoveryDictionary
        return try OIDServiceDiscovery(dictionary: sample.merging(members) { $1 })
    }

    @Test("Reads each URL from its member", .original("AppAuth OIDServiceDiscoveryTests.testField_issuer"))
    func urls() throws {
        let properties: [(String, (OIDServiceDiscovery) -> URL?)] = [
            ("issuer", { $0.issuer }), ("authorization_endpoint", { $0.authorizationEndpoint }),
            ("device_authorization_endpoint", { $0.deviceAuthorizationEndpoint }),
            ("token_endpoint", { $0.tokenEndpoint }), ("userinfo_endpoint", { $0.userinfoEndpoint }),
            ("jwks_uri", { $0.jwksURL }), ("registration_endpoint", { $0.registrationEndpoint }),
            ("end_session_endpoint", { $0.endSessionEndpoint }),
            ("service_documentation", { $0.serviceDocumentation }), ("op_policy_uri", { $0.opPolicyURI }),
            ("op_tos_uri", { $0.opTosURI }),
        ]
        for (name, property) in properties {
            let document = try self.document([name: "https://op.example/\(name)"])
            #expect(property(document)?.absoluteString == "https://op.example/\(name)", "\(name)")
        }
    }

    @Test(
        "Reads each list from its member",
        .original("AppAuth OIDServiceDiscoveryTests.testField_scopesSupported")
    )
    func lists() throws {
        let properties: [(String, (OIDServiceDiscovery) -> [String]?)] = [
            ("scopes_supported", { $0.scopesSupported }), ("response_types_supported", { $0.responseTypesSupported }),
            ("response_modes_supported", { $0.responseModesSupported }),
            ("grant_types_supported", { $0.grantTypesSupported }), ("acr_values_supported", { $0.acrValuesSupported }),
            ("subject_types_supported", { $0.subjectTypesSupported }),
            ("display_values_supported", { $0.displayValuesSupported }),
            ("claim_types_supported", { $0.claimTypesSupported }), ("claims_supported", { $0.claimsSupported }),
            ("claims_locales_supported", { $0.claimsLocalesSupported }),
            ("ui_locales_supported", { $0.uiLocalesSupported }),
            ("token_endpoint_auth_methods_supported", { $0.tokenEndpointAuthMethodsSupported }),
            (
                "token_endpoint_auth_signing_alg_values_supported",
                { $0.tokenEndpointAuthSigningAlgorithmValuesSupported }
            ),
        ]
        for (name, property) in properties {
            #expect(property(try self.document([name: ["\(name)-1", "b"]])) == ["\(name)-1", "b"], "\(name)")
        }
    }

    @Test(
        "Reads each list of algorithms from its member",
        .original("AppAuth OIDServiceDiscoveryTests.testField_IDTokenSigningAlgorithmValuesSupported")
    )
    func algorithms() throws {
        let properties: [(String, (OIDServiceDiscovery) -> [String]?)] = [
            ("id_token_signing_alg_values_supported", { $0.idTokenSigningAlgorithmValuesSupported }),
            ("id_token_encryption_alg_values_supported", { $0.idTokenEncryptionAlgorithmValuesSupported }),
            ("id_token_encryption_enc_values_supported", { $0.idTokenEncryptionEncodingValuesSupported }),
            ("userinfo_signing_alg_values_supported", { $0.userinfoSigningAlgorithmValuesSupported }),
            ("userinfo_encryption_alg_values_supported", { $0.userinfoEncryptionAlgorithmValuesSupported }),
            ("userinfo_encryption_enc_values_supported", { $0.userinfoEncryptionEncodingValuesSupported }),
            ("request_object_signing_alg_values_supported", { $0.requestObjectSigningAlgorithmValuesSupported }),
            ("request_object_encryption_alg_values_supported", { $0.requestObjectEncryptionAlgorithmValuesSupported }),
            ("request_object_encryption_enc_values_supported", { $0.requestObjectEncryptionEncodingValuesSupported }),
        ]
        for (name, property) in properties {
            #expect(property(try self.document([name: ["\(name)-1"]])) == ["\(name)-1"], "\(name)")
        }
    }

    @Test(
        "Reads each Boolean from its member and defaults to false",
        .original("AppAuth OIDServiceDiscoveryTests.testField_claimsParameterSupported")
    )
    func flags() throws {
        let properties: [(String, (OIDServiceDiscovery) -> Bool)] = [
            ("claims_parameter_supported", { $0.claimsParameterSupported }),
            ("request_parameter_supported", { $0.requestParameterSupported }),
            ("require_request_uri_registration", { $0.requireRequestURIRegistration }),
        ]
        for (name, property) in properties {
            #expect(property(try self.document([name: true])), "\(name)")
            #expect(!property(try self.document([name: false])), "\(name)")
            #expect(!property(try self.document([name: NSNull()])), "\(name)")
        }
    }

    @Test(
        "Supports request URIs unless the document denies it",
        .original("AppAuth OIDServiceDiscoveryTests.testRequestURIParameterSupportedDefaultToYes")
    )
    func requestURIs() throws {
        #expect(try self.document([:]).requestURIParameterSupported)
        #expect(try !self.document(["request_uri_parameter_supported": false]).requestURIParameterSupported)
    }

    @Test(
        "Reads numbers and strings as Booleans",
        .original("AppAuth OIDServiceDiscovery claimsParameterSupported"),
        arguments: [
            ("\"1\"", true), ("\"YES\"", true), ("\"true\"", true), ("1.0", true), ("0.5", true), ("2", true),
            ("\"0\"", false), ("\"no\"", false), ("\"\"", false), ("0", false), ("0.0", false), ("[1]", false),
        ]
    )
    func booleans(value: String, isTrue: Bool) throws {
        let text = Samples.discovery.replacing(
            "\"claims_parameter_supported\": true",
            with: "\"claims_parameter_supported\": \(value)"
        )
        #expect(text != Samples.discovery)
        #expect(try OIDServiceDiscovery(json: text).claimsParameterSupported == isTrue)
    }

    @Test(
        "Returns all members, including unknown and nested ones",
        .original("AppAuth OIDServiceDiscovery discoveryDictionary")
    )
    func members() throws {
        let members = try OIDServiceDiscovery(json: Samples.discovery).discoveryDictionary
        #expect(members["issuer"] as? String == "https://server.example")
        #expect(members["claims_parameter_supported"] as? Bool == true)
        let nested = try #require(members["an_extension"] as? [String: Any])
        #expect((nested["depth"] as? [Any])?.count == 5)
    }

    @Test("Has equal members in its copy", .original("AppAuth OIDServiceDiscoveryTests.testCopying"))
    func copy() throws {
        let document = try OIDServiceDiscovery(json: Samples.discovery)
        let copy = try #require(document.copy() as? OIDServiceDiscovery)
        #expect(NSDictionary(dictionary: copy.discoveryDictionary).count == document.discoveryDictionary.count)
        #expect(copy.tokenEndpoint == document.tokenEndpoint)
        #expect(copy.claimsParameterSupported)
    }
}
