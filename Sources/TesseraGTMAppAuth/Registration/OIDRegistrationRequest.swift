// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation
internal import TesseraJSON

/// Asks a provider to register a client: an app (`application_type` is `native`).
///
/// `@unchecked`, as ``AppAuthValue`` says: there is one `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 7591, section 3.1](https://www.rfc-editor.org/rfc/rfc7591.html#section-3.1)
open class OIDRegistrationRequest: AppAuthValue, @unchecked Sendable {
    /// Where the provider is.
    public var configuration: OIDServiceConfiguration { self.required("configuration") }
    /// The token that the provider gave out beforehand; nil where it asks for none.
    public var initialAccessToken: String? { self["initial_access_token"] }
    /// `redirect_uris`.
    public var redirectURIs: [URL] { self.required("redirect_uris") }
    /// `response_types`; nil leaves them to the provider.
    public var responseTypes: [String]? { self["response_types"] }
    /// `grant_types`; nil leaves them to the provider.
    public var grantTypes: [String]? { self["grant_types"] }
    /// `subject_type`; nil leaves it to the provider.
    public var subjectType: String? { self["subject_type"] }
    /// `token_endpoint_auth_method`; nil leaves it to the provider.
    public var tokenEndpointAuthenticationMethod: String? { self["token_endpoint_auth_method"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// A request of which everything is given.
    ///
    /// Additional parameters may be whatever JSON has a word for; others are left out.
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
            "additionalParameters": additionalParameters.map { JSONParameters($0) },
        ]
        self.stored = Contents(Self.fields, values)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil if the configuration or the redirect URIs are missing, or anything is of the wrong type.
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

    /// `application_type`: always `native`.
    public var applicationType: String { OIDApplicationTypeNative }

    /// The program's own members; nil where none were given.
    public var additionalParameters: [String: Any]? { self.additional?.dictionary }

    private var additional: JSONParameters? { self["additionalParameters"] }
}

extension OIDRegistrationRequest {
    /// The request as it is sent: a POST with a JSON object, and the initial access token where there is one.
    ///
    /// No member is there twice, and the request's own come before the program's. Where the configuration has no
    /// registration endpoint, it goes to `about:blank` and holds nothing.
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
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let initialAccessToken {
            request.setValue("Bearer \(initialAccessToken)", forHTTPHeaderField: "Authorization")
        }
        return request
    }

    /// What is sent.
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
        return own + (self.additional?.others(than: Set(own.map(\.name))).sorted ?? [])
    }
}

extension JSONNode {
    /// A list of texts.
    fileprivate static func texts(_ texts: [String]) -> JSONNode { .array(texts.map { .string($0) }) }
}
