// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

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
        initialAccessToken: String?,
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

    /// A request to a provider that registers whoever asks.
    public convenience init(
        configuration: OIDServiceConfiguration,
        redirectURIs: [URL],
        responseTypes: [String]?,
        grantTypes: [String]?,
        subjectType: String?,
        tokenEndpointAuthMethod: String?,
        additionalParameters: [String: Any]?
    ) {
        self.init(
            configuration: configuration,
            redirectURIs: redirectURIs,
            responseTypes: responseTypes,
            grantTypes: grantTypes,
            subjectType: subjectType,
            tokenEndpointAuthMethod: tokenEndpointAuthMethod,
            initialAccessToken: nil,
            additionalParameters: additionalParameters
        )
    }

    /// Always true.
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

    /// Writes everything, also the token: an archive is to be kept as tokens are.
    override open func encode(with coder: NSCoder) {
        coder.encode(self.configuration, forKey: "configuration")
        coder.encode(text: self.initialAccessToken, forKey: "initial_access_token")
        coder.encode(urls: self.redirectURIs, forKey: "redirect_uris")
        coder.encode(texts: self.responseTypes, forKey: "response_types")
        coder.encode(texts: self.grantTypes, forKey: "grant_types")
        coder.encode(text: self.subjectType, forKey: "subject_type")
        coder.encode(text: self.tokenEndpointAuthenticationMethod, forKey: "token_endpoint_auth_method")
        coder.encode(self.additional?.archived, forKey: "additionalParameters")
    }

    /// `application_type`: always `native`.
    public var applicationType: String { OIDApplicationTypeNative }

    /// The program's own members; nil where none were given.
    public var additionalParameters: [String: Any]? { self.additional?.dictionary }
}
