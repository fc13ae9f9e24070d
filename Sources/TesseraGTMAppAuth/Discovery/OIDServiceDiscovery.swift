// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraJSON

/// An OpenID provider's discovery document.
///
/// A document is rejected if a member that OpenID Connect requires is missing or a known member has the wrong type.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``AppAuthValue``. The only stored property is
/// a `let` of a `Sendable` type.
///
/// - SeeAlso: [OpenID Connect Discovery 1.0, section 3](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata)
open class OIDServiceDiscovery: AppAuthValue, @unchecked Sendable {
    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a document from its members.
    ///
    /// - Throws: An `NSError` with the code `invalidDiscoveryDocument` if a member is missing or has the wrong type.
    init(_ members: JSONParameters) throws {
        self.stored = Contents(Self.fields, try Self.values(members))
        super.init()
    }

    /// Creates a document from a JSON string.
    ///
    /// - Throws: An `NSError` in ``OIDGeneralErrorDomain``. The code is `jsonDeserializationError` if the string is not
    ///   valid JSON or contains a duplicate name, or `invalidDiscoveryDocument` if it is not a valid discovery
    ///   document.
    public convenience init(json: String) throws { try self.init(parsing: Array(json.utf8)) }

    /// Creates a document from JSON data.
    ///
    /// - Throws: Any error that ``init(json:)`` throws.
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

    /// Creates a document from a dictionary.
    ///
    /// - Throws: An `NSError` in ``OIDGeneralErrorDomain`` with the code `invalidDiscoveryDocument`.
    public convenience init(dictionary: [AnyHashable: Any]) throws { try self.init(JSONParameters(dictionary)) }

    override open class var supportsSecureCoding: Bool { true }

    /// Decodes a document, or returns nil if it is invalid.
    ///
    /// The format of AppAuth's first versions is also supported.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        let members = archive.value("discoveryDictionary") ?? Self.firstForm(coder)
        guard archive.isWhole, let members, let values = try? Self.values(members) else { return nil }
        self.stored = Contents(Self.fields, values)
        super.init(coder: coder)
    }

    /// Decodes the format of AppAuth's first versions, which encoded the contents of a dictionary rather than a
    /// dictionary.
    private static func firstForm(_ coder: NSCoder) -> JSONParameters? {
        guard coder.containsValue(forKey: "NS.keys") else { return nil }
        return NSDictionary(coder: coder).map { JSONParameters($0) }
    }

    private static let fields = Field.list(required: ["discoveryDictionary": JSONParameters.self])

    /// All members in the document, as strings, numbers, Booleans, arrays and dictionaries.
    public var discoveryDictionary: [String: Any] { self.members.dictionary }

    private var members: JSONParameters { self.required("discoveryDictionary") }

    override var facts: [(name: String, text: String?)] { [("issuer", self.issuer.host())] }
}

extension OIDServiceDiscovery {
    /// The issuer (`issuer`).
    public var issuer: URL { self.required("issuer") }
    /// The authorization endpoint (`authorization_endpoint`).
    public var authorizationEndpoint: URL { self.required("authorization_endpoint") }
    /// The device authorization endpoint (`device_authorization_endpoint`, RFC 8628).
    public var deviceAuthorizationEndpoint: URL? { self["device_authorization_endpoint"] }
    /// The token endpoint (`token_endpoint`).
    public var tokenEndpoint: URL { self.required("token_endpoint") }
    /// The UserInfo endpoint (`userinfo_endpoint`).
    public var userinfoEndpoint: URL? { self["userinfo_endpoint"] }
    /// The URL of the keys that sign ID tokens (`jwks_uri`).
    public var jwksURL: URL { self.required("jwks_uri") }
    /// The registration endpoint (`registration_endpoint`, RFC 7591).
    public var registrationEndpoint: URL? { self["registration_endpoint"] }
    /// The end-session endpoint (`end_session_endpoint`, OpenID Connect RP-Initiated Logout 1.0).
    public var endSessionEndpoint: URL? { self["end_session_endpoint"] }
    /// The URL of the developer documentation (`service_documentation`).
    public var serviceDocumentation: URL? { self["service_documentation"] }
    /// The URL of the provider's policy on how user data may be used (`op_policy_uri`).
    public var opPolicyURI: URL? { self["op_policy_uri"] }
    /// The URL of the terms of service (`op_tos_uri`).
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
    /// `claims_parameter_supported`, which defaults to false.
    public var claimsParameterSupported: Bool { self.members.flag("claims_parameter_supported") ?? false }
    /// `request_parameter_supported`, which defaults to false.
    public var requestParameterSupported: Bool { self.members.flag("request_parameter_supported") ?? false }
    /// `request_uri_parameter_supported`, which defaults to true.
    public var requestURIParameterSupported: Bool { self.members.flag("request_uri_parameter_supported") ?? true }
    /// `require_request_uri_registration`, which defaults to false.
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
    /// Validates a document and returns its values.
    private static func values(_ members: JSONParameters) throws -> [String: any ArchivedValue] {
        var values: [String: any ArchivedValue] = ["discoveryDictionary": members]
        for name in self.requiredURLs { values[name] = try members.required(name, members.url(name), "a URL") }
        for name in self.optionalURLs where members[name] != nil {
            _ = try members.required(name, members.text(name), "a URL")
            values[name] = members.url(name)
        }
        for name in self.requiredLists + self.optionalLists.filter({ members[$0] != nil }) {
            values[name] = try members.required(name, members.texts(name), "an array of strings")
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
        let expected = expected + (self[name] == nil ? ", but it is missing" : "")
        throw NSError.appAuth(.invalidDiscoveryDocument, "In the discovery document, \(name) must be \(expected).")
    }
}
