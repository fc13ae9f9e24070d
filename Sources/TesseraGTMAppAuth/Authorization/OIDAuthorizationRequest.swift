// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// Asks a provider for an authorization: the page, and what is kept back for the exchange.
///
/// `@unchecked`, as ``AppAuthValue`` says: each property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 6749, section 4.1.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.1)
open class OIDAuthorizationRequest: AppAuthValue, @unchecked Sendable {
    /// Where the provider is.
    public let configuration: OIDServiceConfiguration
    /// `response_type`.
    public let responseType: String
    /// `client_id`.
    public let clientID: String
    /// The client's secret, for the exchange; it is no part of the page's URL.
    public let clientSecret: String?
    /// `scope`: the scopes with a space between; nil where none is asked for.
    public let scope: String?
    /// `redirect_uri`.
    public let redirectURL: URL?
    /// `state`: what the redirect has to bring back.
    public let state: String?
    /// `nonce`: what the ID token has to hold.
    public let nonce: String?
    /// The secret of the attempt, for the exchange; it is no part of the page's URL (RFC 7636, section 4.1).
    public let codeVerifier: String?
    /// `code_challenge` (RFC 7636, section 4.2).
    public let codeChallenge: String?
    /// `code_challenge_method` (RFC 7636, section 4.3).
    public let codeChallengeMethod: String?
    /// The program's own parameters, as the texts that are sent; nil where none were given.
    public let additionalParameters: [String: String]?

    /// A request of which everything is given.
    ///
    /// Additional parameters may be texts, numbers, truth values and URLs; others are left out.
    public init(
        configuration: OIDServiceConfiguration,
        clientId clientID: String,
        clientSecret: String?,
        scope: String?,
        redirectURL: URL?,
        responseType: String,
        state: String?,
        nonce: String?,
        codeVerifier: String?,
        codeChallenge: String?,
        codeChallengeMethod: String?,
        additionalParameters: [String: Any]?
    ) {
        self.configuration = configuration
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scope = scope
        self.redirectURL = redirectURL
        self.responseType = responseType
        self.state = state
        self.nonce = nonce
        self.codeVerifier = codeVerifier
        self.codeChallenge = codeChallenge
        self.codeChallengeMethod = codeChallengeMethod
        self.additionalParameters = TextParameters.texts(additionalParameters)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil where the configuration, the response type or the client is missing, or anything is of the
    /// wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        self.clientSecret = archive.text("client_secret")
        self.scope = archive.text("scope")
        self.redirectURL = archive.url("redirect_uri")
        self.state = archive.text("state")
        self.nonce = archive.text("nonce")
        self.codeVerifier = archive.text("code_verifier")
        self.codeChallenge = archive.text("code_challenge")
        self.codeChallengeMethod = archive.text("code_challenge_method")
        self.additionalParameters = archive.textMembers("additionalParameters")
        guard let configuration = archive.object("configuration", OIDServiceConfiguration.self),
            let responseType = archive.text("response_type"), let clientID = archive.text("client_id"), archive.isWhole
        else {
            return nil
        }
        self.configuration = configuration
        self.responseType = responseType
        self.clientID = clientID
        super.init(coder: coder)
    }

    override open func encode(with coder: NSCoder) {
        coder.encode(members: [
            "configuration": self.configuration, "response_type": self.responseType, "client_id": self.clientID,
            "client_secret": self.clientSecret, "scope": self.scope, "redirect_uri": self.redirectURL,
            "state": self.state, "nonce": self.nonce, "code_verifier": self.codeVerifier,
            "code_challenge": self.codeChallenge, "code_challenge_method": self.codeChallengeMethod,
            "additionalParameters": self.additionalParameters,
        ])
    }

    override var facts: [(name: String, text: String?)] {
        [("client", self.clientID), ("response type", self.responseType), ("scope", self.scope)]
    }
}
