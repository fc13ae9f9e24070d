// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation
internal import TesseraJSON

/// A request that registers an app as a provider's client.
///
/// The request's `application_type` is `native`.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``AppAuthValue``. The only stored property is
/// a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 7591, section 3.1](https://www.rfc-editor.org/rfc/rfc7591.html#section-3.1)
open class OIDRegistrationRequest: AppAuthValue, @unchecked Sendable {
    /// The provider's endpoints.
    public var configuration: OIDServiceConfiguration { self.required("configuration") }
    /// The initial access token that the provider issued in advance, or nil if the provider does not require one.
    ///
    /// The value is implicitly unwrapped for compatibility with AppAuth.
    public var initialAccessToken: String! { self["initial_access_token"] }
    /// The redirect URIs (`redirect_uris`).
    public var redirectURIs: [URL] { self.required("redirect_uris") }
    /// The response types (`response_types`), or nil to use the provider's default.
    public var responseTypes: [String]? { self["response_types"] }
    /// The grant types (`grant_types`), or nil to use the provider's default.
    public var grantTypes: [String]? { self["grant_types"] }
    /// The subject type (`subject_type`), or nil to use the provider's default.
    public var subjectType: String? { self["subject_type"] }
    /// The authentication method (`token_endpoint_auth_method`), or nil to use the provider's default.
    public var tokenEndpointAuthenticationMethod: String? { self["token_endpoint_auth_method"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a registration request.
    ///
    /// Additional parameters can have any value that JSON can represent. For any other value,
    /// ``OIDAuthorizationService`` reports `jsonSerializationError`.
    public init(
        configuration: OIDServiceConfiguration,
        redirectURIs: [URL],
        responseTypes: [String]?,
        grantTypes: [String]?,
        subjectType: String?,
        tokenEndpointAuthMethod: String?,
        initialAccessToken: String? = nil,
        additionalParameters: [String: Any]?
    ) {
        let values: [String: (any ArchivedValue)?] = [
            "configuration": configuration, "initial_access_token": initialAccessToken, "redirect_uris": redirectURIs,
            "response_types": responseTypes, "grant_types": grantTypes, "subject_type": subjectType,
            "token_endpoint_auth_method": tokenEndpointAuthMethod,
            "additionalParameters": JSONParameters(additionalParameters ?? [:]),
            // This is not a field, so it is not archived.
            Self.unencodableKey: Self.unencodable(additionalParameters ?? [:]),
        ]
        self.stored = Contents(Self.fields, values)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Decodes a request, or returns nil if the configuration or the redirect URIs are missing or a value has the wrong
    /// type.
    public required init?(coder: NSCoder) {
        guard let contents = Contents(coder, Self.fields) else { return nil }
        self.stored = contents
        super.init(coder: coder)
    }

    private static let fields = Field.list(
        required: ["configuration": OIDServiceConfiguration.self, "redirect_uris": [URL].self],
        optional: [
            "initial_access_token": String.self, "response_types": [String].self, "grant_types": [String].self,
            "subject_type": String.self, "token_endpoint_auth_method": String.self,
            "additionalParameters": JSONParameters.self,
        ]
    )

    /// The application type (`application_type`), which is always `native`.
    public var applicationType: String { OIDApplicationTypeNative }

    /// The app's additional parameters whose values are strings.
    public var additionalParameters: [String: String]? {
        self.additional.dictionary.compactMapValues { $0 as? String }
    }

    private var additional: JSONParameters { self["additionalParameters"] ?? JSONParameters([JSONMember]()) }

    /// The name of an additional parameter whose value JSON cannot represent, or nil if there is none.
    var unencodableParameter: String? { self[Self.unencodableKey] }

    private static let unencodableKey = "unencodableParameter"

    private static func unencodable(_ parameters: [String: Any]) -> String? {
        parameters.keys.sorted()
            .first { name in
                !JSONSerialization.isValidJSONObject(parameters.filter { $0.key == name })
            }
    }
}

extension OIDRegistrationRequest {
    /// Returns the URL request, which is a POST request with a JSON object and, if there is one, the initial access
    /// token.
    ///
    /// The additional parameters follow the standard ones. They can replace only `application_type` and
    /// `redirect_uris`. If the configuration has no registration endpoint, the request has no body and its URL is
    /// `about:blank`.
    ///
    /// - SeeAlso: [RFC 7591, section 3.1](https://www.rfc-editor.org/rfc/rfc7591.html#section-3.1)
    public func urlRequest() -> URLRequest {
        guard let endpoint = self.configuration.registrationEndpoint else {
            return URLRequest(url: .nowhere(else: self.configuration.tokenEndpoint))
        }
        var request = URLRequest(url: endpoint)
        request.httpMethod = "POST"
        request.httpBody = Data(JSONNode.object(self.members).serialized())
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let initialAccessToken = self.initialAccessToken {
            request.setValue("Bearer \(initialAccessToken)", forHTTPHeaderField: "Authorization")
        }
        return request
    }

    /// The JSON object's members.
    var members: [JSONMember] {
        let texts = [
            (OIDApplicationTypeParam, self.applicationType), (OIDSubjectTypeParam, self.subjectType),
            (OIDTokenEndpointAuthenticationMethodParam, self.tokenEndpointAuthenticationMethod),
        ]
        let lists = [
            (OIDRedirectURIsParam, self.redirectURIs.map(\.absoluteString)),
            (OIDResponseTypesParam, self.responseTypes), (OIDGrantTypesParam, self.grantTypes),
        ]
        let own =
            lists.compactMap { name, list in list.map { JSONMember(name: name, value: .texts($0)) } }
            + texts.compactMap { name, text in text.map { JSONMember(name: name, value: .string($0)) } }
        let replaceable = [OIDApplicationTypeParam, OIDRedirectURIsParam].filter { self.additional[$0] != nil }
        let standard = own.filter { !replaceable.contains($0.name) }
        return standard + self.additional.others(than: Set(standard.map(\.name))).sorted
    }
}

extension JSONNode {
    /// Returns an array of strings.
    fileprivate static func texts(_ texts: [String]) -> JSONNode { .array(texts.map { .string($0) }) }
}
