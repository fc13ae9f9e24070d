// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// Asks a provider to sign a person out.
///
/// `@unchecked`, as ``AppAuthValue`` says: each property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [OpenID Connect RP-Initiated Logout 1.0, section 2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
open class OIDEndSessionRequest: AppAuthValue, @unchecked Sendable {
    /// Where the provider is.
    public let configuration: OIDServiceConfiguration
    /// `post_logout_redirect_uri`; nil where the browser need not come back.
    public let postLogoutRedirectURL: URL?
    /// `id_token_hint`: an ID token of the session that is to end.
    public let idTokenHint: String?
    /// `state`: what the redirect has to bring back.
    public let state: String?
    /// The program's own parameters, as the texts that are sent; nil where none were given.
    public let additionalParameters: [String: String]?

    /// Creates a request; the state defaults to 32 random bytes.
    public init(
        configuration: OIDServiceConfiguration,
        idTokenHint: String?,
        postLogoutRedirectURL: URL?,
        state: String? = OIDAuthorizationRequest.generateState(),
        additionalParameters: [String: Any]?
    ) {
        self.configuration = configuration
        self.idTokenHint = idTokenHint
        self.postLogoutRedirectURL = postLogoutRedirectURL
        self.state = state
        self.additionalParameters = TextParameters.texts(additionalParameters)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil where the configuration is missing or anything is of the wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        self.idTokenHint = archive.text("id_token_hint")
        self.postLogoutRedirectURL = archive.url("post_logout_redirect_uri")
        self.state = archive.text("state")
        self.additionalParameters = archive.textMembers("additionalParameters")
        guard let configuration = archive.object("configuration", OIDServiceConfiguration.self), archive.isWhole else {
            return nil
        }
        self.configuration = configuration
        super.init(coder: coder)
    }

    override open func encode(with coder: NSCoder) {
        coder.encode(members: [
            "configuration": self.configuration, "id_token_hint": self.idTokenHint,
            "post_logout_redirect_uri": self.postLogoutRedirectURL, "state": self.state,
            "additionalParameters": self.additionalParameters,
        ])
    }
}

extension OIDEndSessionRequest: OIDExternalUserAgentRequest {
    /// The page that signs the person out.
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
/// `@unchecked`, as ``AppAuthValue`` says: each property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [OpenID Connect RP-Initiated Logout 1.0, section 3](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RedirectionAfterLogout)
open class OIDEndSessionResponse: AppAuthValue, @unchecked Sendable {
    /// What was asked.
    public let request: OIDEndSessionRequest
    /// `state`; nil where none came, or several.
    public let state: String?
    private let additional: JSONParameters

    /// Takes the parameters of a redirect.
    public init(request: OIDEndSessionRequest, parameters: [String: Any]) {
        let members = JSONParameters(parameters)
        self.request = request
        self.state = members.text("state")
        self.additional = members.others(than: ["state"])
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil where the request is missing or anything is of the wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        self.state = archive.text("state")
        self.additional = archive.parameters("additionalParameters") ?? JSONParameters([])
        guard let request = archive.object("request", OIDEndSessionRequest.self), archive.isWhole else { return nil }
        self.request = request
        super.init(coder: coder)
    }

    override open func encode(with coder: NSCoder) {
        coder.encode(members: ["request": self.request, "state": self.state, "additionalParameters": self.additional])
    }

    /// The other parameters; empty where there were none.
    public var additionalParameters: [String: Any]? { self.additional.dictionary }
}
