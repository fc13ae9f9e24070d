// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// A request that signs the user out at the provider.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``AppAuthValue``. The only stored property is
/// a `let` of a `Sendable` type.
///
/// - SeeAlso: [OpenID Connect RP-Initiated Logout 1.0, section 2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
open class OIDEndSessionRequest: AppAuthValue, @unchecked Sendable {
    /// The provider's endpoints.
    public var configuration: OIDServiceConfiguration { self.required("configuration") }
    /// The redirect URL (`post_logout_redirect_uri`), or nil if the browser does not have to return to the app.
    public var postLogoutRedirectURL: URL? { self["post_logout_redirect_uri"] }
    /// An ID token from the session to end (`id_token_hint`).
    public var idTokenHint: String? { self["id_token_hint"] }
    /// The value that the redirect must return (`state`).
    public var state: String? { self["state"] }
    /// The app's additional parameters, converted to strings.
    public var additionalParameters: [String: String]? { self["additionalParameters"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a request.
    ///
    /// By default, the state consists of 32 random bytes.
    public init(
        configuration: OIDServiceConfiguration,
        idTokenHint: String?,
        postLogoutRedirectURL: URL?,
        state: String? = OIDAuthorizationRequest.generateState(),
        additionalParameters: [String: Any]?
    ) {
        let values: [String: (any ArchivedValue)?] = [
            "configuration": configuration, "id_token_hint": idTokenHint,
            "post_logout_redirect_uri": postLogoutRedirectURL, "state": state,
            "additionalParameters": TextParameters.texts(additionalParameters ?? [:]),
        ]
        self.stored = Contents(Self.fields, values)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Decodes a request, or returns nil if the configuration is missing or a value has the wrong type.
    public required init?(coder: NSCoder) {
        guard let contents = Contents(coder, Self.fields) else { return nil }
        self.stored = contents
        super.init(coder: coder)
    }

    private static let fields = Field.list(
        required: ["configuration": OIDServiceConfiguration.self],
        optional: [
            "id_token_hint": String.self, "post_logout_redirect_uri": URL.self, "state": String.self,
            "additionalParameters": [String: String].self,
        ]
    )
}

extension OIDEndSessionRequest: OIDExternalUserAgentRequest {
    /// Returns the URL of the provider's sign-out page.
    ///
    /// The parameters are appended to the endpoint's query. The additional parameters follow the standard ones and
    /// cannot repeat them. If the configuration has no end-session endpoint, this method returns `about:blank`.
    public func endSessionRequestURL() -> URL {
        self.page ?? .nowhere(else: self.configuration.authorizationEndpoint)
    }

    /// Returns the URL of the provider's sign-out page, or nil if the configuration has no end-session endpoint.
    public func externalUserAgentRequestURL() -> URL! { self.page }

    /// Returns the scheme of the redirect URL, if any.
    public func redirectScheme() -> String! { self.postLogoutRedirectURL?.scheme }

    private var page: URL? {
        let form = FormParameters(
            [
                "id_token_hint": self.idTokenHint,
                "post_logout_redirect_uri": self.postLogoutRedirectURL?.absoluteString, "state": self.state,
            ],
            additional: self.additionalParameters
        )
        return self.configuration.endSessionEndpoint?.adding(form)
    }
}

/// The response to an end-session request, as received in the redirect.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``AppAuthValue``. The only stored property is
/// a `let` of a `Sendable` type.
///
/// - SeeAlso: [OpenID Connect RP-Initiated Logout 1.0, section 3](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RedirectionAfterLogout)
open class OIDEndSessionResponse: AppAuthValue, @unchecked Sendable {
    /// The request that produced this response.
    public var request: OIDEndSessionRequest { self.required("request") }
    /// The `state` parameter, or nil if it is missing or occurs more than once.
    public var state: String? { self["state"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a response from the parameters in a redirect.
    public init(request: OIDEndSessionRequest, parameters: [String: Any]) {
        self.stored = Contents(Self.fields, response: JSONParameters(parameters), to: request)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Decodes a response, or returns nil if the request is missing or a value has the wrong type.
    public required init?(coder: NSCoder) {
        guard let contents = Contents(coder, Self.fields) else { return nil }
        self.stored = contents
        super.init(coder: coder)
    }

    private static let fields = Field.list(
        required: ["request": OIDEndSessionRequest.self],
        optional: ["state": String.self, "additionalParameters": JSONParameters.self]
    )

    /// All other parameters, which can be empty.
    public var additionalParameters: [String: Any]? { self.others }
}
