// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// Asks a provider to sign a user out.
///
/// `@unchecked`, as ``AppAuthValue`` says: there is one `let` of a `Sendable` type.
///
/// - SeeAlso: [OpenID Connect RP-Initiated Logout 1.0, section 2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
open class OIDEndSessionRequest: AppAuthValue, @unchecked Sendable {
    /// Where the provider is.
    public var configuration: OIDServiceConfiguration { self.required("configuration") }
    /// `post_logout_redirect_uri`; nil where the browser need not come back.
    public var postLogoutRedirectURL: URL? { self["post_logout_redirect_uri"] }
    /// `id_token_hint`: an ID token of the session that is to end.
    public var idTokenHint: String? { self["id_token_hint"] }
    /// `state`: what the redirect has to bring back.
    public var state: String? { self["state"] }
    /// The program's own parameters, as the texts that are sent; nil where none were given.
    public var additionalParameters: [String: String]? { self["additionalParameters"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a request; the state defaults to 32 random bytes.
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
            "additionalParameters": TextParameters.texts(additionalParameters),
        ]
        self.stored = Contents(Self.fields, values)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil if the configuration is missing or anything is of the wrong type.
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
    /// The page that signs the user out.
    ///
    /// The query of the endpoint is kept; no parameter is there twice, and the request's own come before the program's. It
    /// is `about:blank` where the configuration has no end session endpoint.
    public func endSessionRequestURL() -> URL {
        self.page ?? .nowhere(else: self.configuration.authorizationEndpoint)
    }

    /// The same as ``endSessionRequestURL()``; nil where the configuration has no end session endpoint.
    public func externalUserAgentRequestURL() -> URL! { self.page }

    /// The scheme of the redirect URL; nil without one.
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

/// What the redirect after a sign-out brought.
///
/// `@unchecked`, as ``AppAuthValue`` says: there is one `let` of a `Sendable` type.
///
/// - SeeAlso: [OpenID Connect RP-Initiated Logout 1.0, section 3](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RedirectionAfterLogout)
open class OIDEndSessionResponse: AppAuthValue, @unchecked Sendable {
    /// The request.
    public var request: OIDEndSessionRequest { self.required("request") }
    /// `state`; nil where none came, or several.
    public var state: String? { self["state"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a response from the parameters of a redirect.
    public init(request: OIDEndSessionRequest, parameters: [String: Any]) {
        self.stored = Contents(Self.fields, response: JSONParameters(parameters), to: request)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil if the request is missing or anything is of the wrong type.
    public required init?(coder: NSCoder) {
        guard let contents = Contents(coder, Self.fields) else { return nil }
        self.stored = contents
        super.init(coder: coder)
    }

    private static let fields = Field.list(
        required: ["request": OIDEndSessionRequest.self],
        optional: ["state": String.self, "additionalParameters": JSONParameters.self]
    )

    /// The other parameters; empty where there were none.
    public var additionalParameters: [String: Any]? { self.others }
}
