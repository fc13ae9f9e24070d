// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif
public import Foundation
internal import TesseraJSON

/// Asks a provider to register a client: an app (`application_type` is `native`).
///
/// `@unchecked`, as ``AppAuthValue`` says: each property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 7591, section 3.1](https://www.rfc-editor.org/rfc/rfc7591.html#section-3.1)
open class OIDRegistrationRequest: AppAuthValue, @unchecked Sendable {
    /// Where the provider is.
    public let configuration: OIDServiceConfiguration
    /// The token that the provider gave out beforehand; nil where it asks for none.
    public let initialAccessToken: String?
    /// `redirect_uris`.
    public let redirectURIs: [URL]
    /// `response_types`; nil leaves them to the provider.
    public let responseTypes: [String]?
    /// `grant_types`; nil leaves them to the provider.
    public let grantTypes: [String]?
    /// `subject_type`; nil leaves it to the provider.
    public let subjectType: String?
    /// `token_endpoint_auth_method`; nil leaves it to the provider.
    public let tokenEndpointAuthenticationMethod: String?
    let additional: JSONParameters?

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
        self.configuration = configuration
        self.redirectURIs = redirectURIs
        self.responseTypes = responseTypes
        self.grantTypes = grantTypes
        self.subjectType = subjectType
        self.tokenEndpointAuthenticationMethod = tokenEndpointAuthMethod
        self.initialAccessToken = initialAccessToken
        self.additional = additionalParameters.map { JSONParameters($0) }
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil where the configuration or the redirect URIs are missing, or anything is of the wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        self.initialAccessToken = archive.text("initial_access_token")
        self.responseTypes = archive.texts("response_types")
        self.grantTypes = archive.texts("grant_types")
        self.subjectType = archive.text("subject_type")
        self.tokenEndpointAuthenticationMethod = archive.text("token_endpoint_auth_method")
        self.additional = archive.parameters("additionalParameters")
        guard let configuration = archive.object("configuration", OIDServiceConfiguration.self),
            let redirectURIs = archive.urls("redirect_uris"), archive.isWhole
        else {
            return nil
        }
        self.configuration = configuration
        self.redirectURIs = redirectURIs
        super.init(coder: coder)
    }

    override open func encode(with coder: NSCoder) {
        coder.encode(members: [
            "configuration": self.configuration, "initial_access_token": self.initialAccessToken,
            "redirect_uris": self.redirectURIs, "response_types": self.responseTypes, "grant_types": self.grantTypes,
            "subject_type": self.subjectType, "token_endpoint_auth_method": self.tokenEndpointAuthenticationMethod,
            "additionalParameters": self.additional,
        ])
    }

    /// `application_type`: always `native`.
    public var applicationType: String { OIDApplicationTypeNative }

    /// The program's own members; nil where none were given.
    public var additionalParameters: [String: Any]? { self.additional?.dictionary }
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
