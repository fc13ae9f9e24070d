// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON

/// The members of a discovery document, checked once: those that have to be there are, and each that is known has the
/// type that it has to have.
///
/// - SeeAlso: [OpenID Connect Discovery 1.0, section 3](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata)
struct DiscoveryDocument: Sendable {
    let members: JSONParameters
    let issuer: URL
    let authorizationEndpoint: URL
    let tokenEndpoint: URL
    let jwksURL: URL
    let responseTypesSupported: [String]
    let subjectTypesSupported: [String]
    let idTokenSigningAlgorithmValuesSupported: [String]

    /// Checks the members.
    ///
    /// - Throws: `OIDErrorCode.invalidDiscoveryDocument`.
    init(_ members: JSONParameters) throws {
        func url(_ name: String) throws -> URL { try Self.required(name, members.url(name), "a URL", in: members) }
        func texts(_ name: String) throws -> [String] {
            try Self.required(name, members.texts(name), "a list of texts", in: members)
        }
        self.members = members
        self.issuer = try url("issuer")
        self.authorizationEndpoint = try url("authorization_endpoint")
        self.tokenEndpoint = try url("token_endpoint")
        self.jwksURL = try url("jwks_uri")
        self.responseTypesSupported = try texts("response_types_supported")
        self.subjectTypesSupported = try texts("subject_types_supported")
        self.idTokenSigningAlgorithmValuesSupported = try texts("id_token_signing_alg_values_supported")
        for name in Self.optionalURLs where members[name] != nil && members.text(name) == nil {
            throw Self.wrong(name, "a URL")
        }
        for name in Self.optionalLists where members[name] != nil { _ = try texts(name) }
    }

    /// Reads a document that a server sent.
    ///
    /// - Throws: `OIDErrorCode.jsonDeserializationError`, `OIDErrorCode.invalidDiscoveryDocument`.
    init(parsing bytes: [UInt8]) throws {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(maximumDepth: 64, maximumBytes: 1 << 20))
        } catch {
            throw NSError.appAuth(.jsonDeserializationError, error.description, underlying: error)
        }
        guard value.kind == .object else {
            throw NSError.appAuth(.invalidDiscoveryDocument, "The discovery document is no JSON object.")
        }
        try self.init(JSONParameters(value))
    }

    private static func required<Value>(
        _ name: String,
        _ value: Value?,
        _ expected: String,
        in members: JSONParameters
    ) throws -> Value {
        guard let value else { throw Self.wrong(name, expected + (members[name] == nil ? ", and it is missing" : "")) }
        return value
    }

    private static func wrong(_ name: String, _ expected: String) -> NSError {
        .appAuth(.invalidDiscoveryDocument, "In the discovery document, \(name) has to be \(expected).")
    }

    private static let optionalURLs = [
        "device_authorization_endpoint", "userinfo_endpoint", "registration_endpoint", "end_session_endpoint",
        "service_documentation", "op_policy_uri", "op_tos_uri",
    ]

    private static let optionalLists = [
        "scopes_supported", "response_modes_supported", "grant_types_supported", "acr_values_supported",
        "id_token_encryption_alg_values_supported", "id_token_encryption_enc_values_supported",
        "userinfo_signing_alg_values_supported", "userinfo_encryption_alg_values_supported",
        "userinfo_encryption_enc_values_supported", "request_object_signing_alg_values_supported",
        "request_object_encryption_alg_values_supported", "request_object_encryption_enc_values_supported",
        "token_endpoint_auth_methods_supported", "token_endpoint_auth_signing_alg_values_supported",
        "display_values_supported", "claim_types_supported", "claims_supported", "claims_locales_supported",
        "ui_locales_supported",
    ]
}
