// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraJSON

/// What an OpenID provider says about itself.
///
/// A document that lacks a member which OpenID Connect demands, or has a known member of another type, is refused.
///
/// `@unchecked`, as ``AppAuthValue`` says: there is one `let` of a `Sendable` type.
///
/// - SeeAlso: [OpenID Connect Discovery 1.0, section 3](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata)
open class OIDServiceDiscovery: AppAuthValue, @unchecked Sendable {
    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates the document of members.
    ///
    /// - Throws: `invalidDiscoveryDocument`.
    init(_ members: JSONParameters) throws {
        self.stored = Contents(Self.fields, try Self.values(members))
        super.init()
    }

    /// Reads a document's text.
    ///
    /// - Throws: an `NSError` of ``OIDGeneralErrorDomain``: `jsonDeserializationError` for what is no JSON or names a
    ///   member twice, `invalidDiscoveryDocument` for what is no such document.
    public convenience init(json: String) throws { try self.init(parsing: Array(json.utf8)) }

    /// Reads a document's bytes.
    ///
    /// - Throws: as ``init(json:)``.
    public convenience init(jsonData: Data) throws { try self.init(parsing: Array(jsonData)) }

    private convenience init(parsing bytes: [UInt8]) throws {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(maximumDepth: 64, maximumBytes: 1 << 20))
        } catch {
            throw NSError.appAuth(.jsonDeserializationError, error.description, underlying: error)
        }
        guard value.kind == .object else {
            throw NSError.appAuth(.invalidDiscoveryDocument, "The discovery document is not a JSON object.")
        }
        try self.init(JSONParameters(value))
    }

    /// Takes the members of a document.
    ///
    /// - Throws: an `NSError` of ``OIDGeneralErrorDomain`` with `invalidDiscoveryDocument`.
    public convenience init(dictionary: [AnyHashable: Any]) throws { try self.init(JSONParameters(dictionary)) }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive, also one as the first versions of AppAuth wrote it; nil for a document that is refused.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        let members = archive.value("discoveryDictionary") ?? Self.firstForm(coder)
        guard archive.isWhole, let members, let values = try? Self.values(members) else { return nil }
        self.stored = Contents(Self.fields, values)
        super.init(coder: coder)
    }

    /// The first versions wrote what a dictionary writes, in place of a dictionary.
    private static func firstForm(_ coder: NSCoder) -> JSONParameters? {
        guard coder.containsValue(forKey: "NS.keys") else { return nil }
        return NSDictionary(coder: coder).map { JSONParameters($0) }
    }

    private static let fields = Field.list(required: ["discoveryDictionary": JSONParameters.self])

    /// Every member of the document, by name: texts, numbers, truth values, lists and dictionaries.
    public var discoveryDictionary: [String: Any] { self.members.dictionary }

    private var members: JSONParameters { self.required("discoveryDictionary") }

    override var facts: [(name: String, text: String?)] { [("issuer", self.issuer.host())] }
}

extension OIDServiceDiscovery {
    /// `issuer`: the provider's name for itself.
    public var issuer: URL { self.required("issuer") }
    /// `authorization_endpoint`.
    public var authorizationEndpoint: URL { self.required("authorization_endpoint") }
    /// `device_authorization_endpoint` (RFC 8628).
    public var deviceAuthorizationEndpoint: URL? { self["device_authorization_endpoint"] }
    /// `token_endpoint`.
    public var tokenEndpoint: URL { self.required("token_endpoint") }
    /// `userinfo_endpoint`.
    public var userinfoEndpoint: URL? { self["userinfo_endpoint"] }
    /// `jwks_uri`: where the keys are that sign ID tokens.
    public var jwksURL: URL { self.required("jwks_uri") }
    /// `registration_endpoint` (RFC 7591).
    public var registrationEndpoint: URL? { self["registration_endpoint"] }
    /// `end_session_endpoint` (OpenID Connect RP-Initiated Logout 1.0).
    public var endSessionEndpoint: URL? { self["end_session_endpoint"] }
    /// `service_documentation`: a page for developers.
    public var serviceDocumentation: URL? { self["service_documentation"] }
    /// `op_policy_uri`: what the provider lets clients do with people's data.
    public var opPolicyURI: URL? { self["op_policy_uri"] }
    /// `op_tos_uri`: the terms of service.
    public var opTosURI: URL? { self["op_tos_uri"] }

    /// `response_types_supported`.
    public var responseTypesSupported: [String] { self.required("response_types_supported") }
    /// `subject_types_supported`.
    public var subjectTypesSupported: [String] { self.required("subject_types_supported") }
    /// `scopes_supported`.
    public var scopesSupported: [String]? { self["scopes_supported"] }
    /// `response_modes_supported`.
    public var responseModesSupported: [String]? { self["response_modes_supported"] }
    /// `grant_types_supported`.
    public var grantTypesSupported: [String]? { self["grant_types_supported"] }
    /// `acr_values_supported`.
    public var acrValuesSupported: [String]? { self["acr_values_supported"] }
    /// `display_values_supported`.
    public var displayValuesSupported: [String]? { self["display_values_supported"] }
    /// `claim_types_supported`.
    public var claimTypesSupported: [String]? { self["claim_types_supported"] }
    /// `claims_supported`.
    public var claimsSupported: [String]? { self["claims_supported"] }
    /// `claims_locales_supported`.
    public var claimsLocalesSupported: [String]? { self["claims_locales_supported"] }
    /// `ui_locales_supported`.
    public var uiLocalesSupported: [String]? { self["ui_locales_supported"] }
    /// `claims_parameter_supported`, false where it is not said.
    public var claimsParameterSupported: Bool { self.members.flag("claims_parameter_supported") ?? false }
    /// `request_parameter_supported`, false where it is not said.
    public var requestParameterSupported: Bool { self.members.flag("request_parameter_supported") ?? false }
    /// `request_uri_parameter_supported`, true where it is not said.
    public var requestURIParameterSupported: Bool { self.members.flag("request_uri_parameter_supported") ?? true }
    /// `require_request_uri_registration`, false where it is not said.
    public var requireRequestURIRegistration: Bool { self.members.flag("require_request_uri_registration") ?? false }

    /// `id_token_signing_alg_values_supported`.
    public var idTokenSigningAlgorithmValuesSupported: [String] {
        self.required("id_token_signing_alg_values_supported")
    }
    /// `id_token_encryption_alg_values_supported`.
    public var idTokenEncryptionAlgorithmValuesSupported: [String]? { self["id_token_encryption_alg_values_supported"] }
    /// `id_token_encryption_enc_values_supported`.
    public var idTokenEncryptionEncodingValuesSupported: [String]? { self["id_token_encryption_enc_values_supported"] }
    /// `userinfo_signing_alg_values_supported`.
    public var userinfoSigningAlgorithmValuesSupported: [String]? { self["userinfo_signing_alg_values_supported"] }
    /// `userinfo_encryption_alg_values_supported`.
    public var userinfoEncryptionAlgorithmValuesSupported: [String]? {
        self["userinfo_encryption_alg_values_supported"]
    }
    /// `userinfo_encryption_enc_values_supported`.
    public var userinfoEncryptionEncodingValuesSupported: [String]? { self["userinfo_encryption_enc_values_supported"] }
    /// `request_object_signing_alg_values_supported`.
    public var requestObjectSigningAlgorithmValuesSupported: [String]? {
        self["request_object_signing_alg_values_supported"]
    }
    /// `request_object_encryption_alg_values_supported`.
    public var requestObjectEncryptionAlgorithmValuesSupported: [String]? {
        self["request_object_encryption_alg_values_supported"]
    }
    /// `request_object_encryption_enc_values_supported`.
    public var requestObjectEncryptionEncodingValuesSupported: [String]? {
        self["request_object_encryption_enc_values_supported"]
    }
    /// `token_endpoint_auth_methods_supported`.
    public var tokenEndpointAuthMethodsSupported: [String]? { self["token_endpoint_auth_methods_supported"] }
    /// `token_endpoint_auth_signing_alg_values_supported`.
    public var tokenEndpointAuthSigningAlgorithmValuesSupported: [String]? {
        self["token_endpoint_auth_signing_alg_values_supported"]
    }
}

extension OIDServiceDiscovery {
    /// Checks a document: the members that OpenID Connect demands are there, and each known one has its type.
    private static func values(_ members: JSONParameters) throws -> [String: any ArchivedValue] {
        var values: [String: any ArchivedValue] = ["discoveryDictionary": members]
        for name in self.requiredURLs { values[name] = try members.required(name, members.url(name), "a URL") }
        for name in self.optionalURLs where members[name] != nil {
            _ = try members.required(name, members.text(name), "a URL")
            values[name] = members.url(name)
        }
        for name in self.requiredLists + self.optionalLists.filter({ members[$0] != nil }) {
            values[name] = try members.required(name, members.texts(name), "a list of texts")
        }
        return values
    }

    private static let requiredURLs = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"]

    private static let requiredLists = [
        "response_types_supported", "subject_types_supported", "id_token_signing_alg_values_supported",
    ]

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

extension JSONParameters {
    fileprivate func required<Value>(_ name: String, _ value: Value?, _ expected: String) throws -> Value {
        if let value { return value }
        let expected = expected + (self[name] == nil ? ", and it is missing" : "")
        throw NSError.appAuth(.invalidDiscoveryDocument, "In the discovery document, \(name) has to be \(expected).")
    }
}
