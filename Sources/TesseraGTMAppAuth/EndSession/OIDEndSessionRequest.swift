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

    /// A request of which everything is given.
    public init(
        configuration: OIDServiceConfiguration,
        idTokenHint: String?,
        postLogoutRedirectURL: URL?,
        state: String?,
        additionalParameters: [String: Any]?
    ) {
        self.configuration = configuration
        self.idTokenHint = idTokenHint
        self.postLogoutRedirectURL = postLogoutRedirectURL
        self.state = state
        self.additionalParameters = TextParameters.texts(additionalParameters)
        super.init()
    }

    /// A request with a state of its own: 32 random bytes.
    public convenience init(
        configuration: OIDServiceConfiguration,
        idTokenHint: String?,
        postLogoutRedirectURL: URL?,
        additionalParameters: [String: Any]?
    ) {
        self.init(
            configuration: configuration,
            idTokenHint: idTokenHint,
            postLogoutRedirectURL: postLogoutRedirectURL,
            state: RandomText.make(SystemRandomBytes.make),
            additionalParameters: additionalParameters
        )
    }

    /// Always true.
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

    /// Writes everything, also the ID token: an archive is to be kept as tokens are.
    override open func encode(with coder: NSCoder) {
        coder.encode(self.configuration, forKey: "configuration")
        coder.encode(text: self.idTokenHint, forKey: "id_token_hint")
        coder.encode(url: self.postLogoutRedirectURL, forKey: "post_logout_redirect_uri")
        coder.encode(text: self.state, forKey: "state")
        coder.encode(members: self.additionalParameters, forKey: "additionalParameters")
    }
}
