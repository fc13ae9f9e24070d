// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraJSON
internal import TesseraOAuth

/// An OpenID provider's discovery document.
///
/// A document is rejected if a member that OpenID Connect requires is missing, or if a required URL is not absolute.
/// Other members of the wrong type are read as far as possible. Elements of a list that are not strings are omitted, and
/// a string in place of a list becomes its only element. Any other value is treated as missing.
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

    /// Encodes the document.
    ///
    /// The format of AppAuth's first versions is also written, so that they can decode the document.
    override open func encode(with coder: NSCoder) {
        let members = self.members.archived
        // Foundation on Linux can encode a dictionary only with this class.
        if coder is NSKeyedArchiver { members.encode(with: coder) }
        coder.encode(members, forKey: "discoveryDictionary")
    }

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
    public var deviceAuthorizationEndpoint: URL? { self.url("device_authorization_endpoint") }
    /// The token endpoint (`token_endpoint`).
    public var tokenEndpoint: URL { self.required("token_endpoint") }
    /// The UserInfo endpoint (`userinfo_endpoint`).
    public var userinfoEndpoint: URL? { self.url("userinfo_endpoint") }
    /// The URL of the keys that sign ID tokens (`jwks_uri`).
    public var jwksURL: URL { self.required("jwks_uri") }
    /// The registration endpoint (`registration_endpoint`, RFC 7591).
    public var registrationEndpoint: URL? { self.url("registration_endpoint") }
    /// The end-session endpoint (`end_session_endpoint`, OpenID Connect RP-Initiated Logout 1.0).
    public var endSessionEndpoint: URL? { self.url("end_session_endpoint") }
    /// The URL of the developer documentation (`service_documentation`).
    public var serviceDocumentation: URL? { self.url("service_documentation") }
    /// The URL of the provider's policy on how user data may be used (`op_policy_uri`).
    public var opPolicyURI: URL? { self.url("op_policy_uri") }
    /// The URL of the terms of service (`op_tos_uri`).
    public var opTosURI: URL? { self.url("op_tos_uri") }

    /// `response_types_supported`.
    public var responseTypesSupported: [String] { self.list("response_types_supported") ?? [] }
    /// `subject_types_supported`.
    public var subjectTypesSupported: [String] { self.list("subject_types_supported") ?? [] }
    /// `scopes_supported`.
    public var scopesSupported: [String]? { self.list("scopes_supported") }
    /// `response_modes_supported`.
    public var responseModesSupported: [String]? { self.list("response_modes_supported") }
    /// `grant_types_supported`.
    public var grantTypesSupported: [String]? { self.list("grant_types_supported") }
    /// `acr_values_supported`.
    public var acrValuesSupported: [String]? { self.list("acr_values_supported") }
    /// `display_values_supported`.
    public var displayValuesSupported: [String]? { self.list("display_values_supported") }
    /// `claim_types_supported`.
    public var claimTypesSupported: [String]? { self.list("claim_types_supported") }
    /// `claims_supported`.
    public var claimsSupported: [String]? { self.list("claims_supported") }
    /// `claims_locales_supported`.
    public var claimsLocalesSupported: [String]? { self.list("claims_locales_supported") }
    /// `ui_locales_supported`.
    public var uiLocalesSupported: [String]? { self.list("ui_locales_supported") }
    /// `claims_parameter_supported`, which defaults to false.
    public var claimsParameterSupported: Bool { self.flag("claims_parameter_supported") ?? false }
    /// `request_parameter_supported`, which defaults to false.
    public var requestParameterSupported: Bool { self.flag("request_parameter_supported") ?? false }
    /// `request_uri_parameter_supported`, which defaults to true.
    public var requestURIParameterSupported: Bool { self.flag("request_uri_parameter_supported") ?? true }
    /// `require_request_uri_registration`, which defaults to false.
    public var requireRequestURIRegistration: Bool { self.flag("require_request_uri_registration") ?? false }

    /// `id_token_signing_alg_values_supported`.
    public var idTokenSigningAlgorithmValuesSupported: [String] {
        self.list("id_token_signing_alg_values_supported") ?? []
    }
    /// `id_token_encryption_alg_values_supported`.
    public var idTokenEncryptionAlgorithmValuesSupported: [String]? {
        self.list("id_token_encryption_alg_values_supported")
    }
    /// `id_token_encryption_enc_values_supported`.
    public var idTokenEncryptionEncodingValuesSupported: [String]? {
        self.list("id_token_encryption_enc_values_supported")
    }
    /// `userinfo_signing_alg_values_supported`.
    public var userinfoSigningAlgorithmValuesSupported: [String]? { self.list("userinfo_signing_alg_values_supported") }
    /// `userinfo_encryption_alg_values_supported`.
    public var userinfoEncryptionAlgorithmValuesSupported: [String]? {
        self.list("userinfo_encryption_alg_values_supported")
    }
    /// `userinfo_encryption_enc_values_supported`.
    public var userinfoEncryptionEncodingValuesSupported: [String]? {
        self.list("userinfo_encryption_enc_values_supported")
    }
    /// `request_object_signing_alg_values_supported`.
    public var requestObjectSigningAlgorithmValuesSupported: [String]? {
        self.list("request_object_signing_alg_values_supported")
    }
    /// `request_object_encryption_alg_values_supported`.
    public var requestObjectEncryptionAlgorithmValuesSupported: [String]? {
        self.list("request_object_encryption_alg_values_supported")
    }
    /// `request_object_encryption_enc_values_supported`.
    public var requestObjectEncryptionEncodingValuesSupported: [String]? {
        self.list("request_object_encryption_enc_values_supported")
    }
    /// `token_endpoint_auth_methods_supported`.
    public var tokenEndpointAuthMethodsSupported: [String]? { self.list("token_endpoint_auth_methods_supported") }
    /// `token_endpoint_auth_signing_alg_values_supported`.
    public var tokenEndpointAuthSigningAlgorithmValuesSupported: [String]? {
        self.list("token_endpoint_auth_signing_alg_values_supported")
    }
}

extension OIDServiceDiscovery {
    /// Returns whether an issuer published the document.
    ///
    /// A slash at the end of the issuer is ignored, because the document's URL is the same with and without it.
    ///
    /// - SeeAlso: [OpenID Connect Discovery 1.0, section 4](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig)
    func isPublished(by issuer: Issuer) -> Bool {
        func withoutSlash(_ text: String) -> String { text.hasSuffix("/") ? String(text.dropLast()) : text }
        return withoutSlash(self.members.text("issuer") ?? "").isExactly(withoutSlash(issuer.url))
    }

    private func url(_ name: String) -> URL? { self.members.text(name).flatMap { URL(string: $0) } }

    private func list(_ name: String) -> [String]? {
        switch self.members[name] {
        case .array(let elements)?: elements.compactMap(\.stringValue)
        case .string(let text)?: [text]
        default: nil
        }
    }

    /// Returns a Boolean, a number that is not 0, or a string such as `true`, `YES` or `1` as true.
    private func flag(_ name: String) -> Bool? {
        switch self.members[name] {
        case .bool(let flag)?: flag
        case .string(let text)?: NSString(string: text).boolValue
        case let value?: value.doubleValue.map { $0 != 0 }
        case nil: nil
        }
    }

    /// Checks a document and returns its required values.
    private static func values(_ members: JSONParameters) throws -> [String: any ArchivedValue] {
        var values: [String: any ArchivedValue] = ["discoveryDictionary": members]
        for name in self.requiredURLs {
            guard let url = members.text(name).flatMap({ URL(string: $0) }), url.scheme != nil else {
                throw self.violation(name, "a URL", members)
            }
            values[name] = url
        }
        if let name = self.requiredLists.first(where: { members[$0] == nil }) {
            throw self.violation(name, "an array of strings", members)
        }
        return values
    }

    private static func violation(_ name: String, _ expected: String, _ members: JSONParameters) -> NSError {
        let expected = expected + (members[name] == nil ? ", but it is missing" : "")
        return .appAuth(.invalidDiscoveryDocument, "In the discovery document, \(name) must be \(expected).")
    }

    private static let requiredURLs = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"]

    private static let requiredLists = [
        "response_types_supported", "subject_types_supported", "id_token_signing_alg_values_supported",
    ]
}
