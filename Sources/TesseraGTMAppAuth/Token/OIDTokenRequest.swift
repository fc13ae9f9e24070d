// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// Asks the token endpoint for tokens, by any grant type.
///
/// `@unchecked`, as ``AppAuthValue`` says: each property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 6749, section 3.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.2)
open class OIDTokenRequest: AppAuthValue, @unchecked Sendable {
    /// Where the provider is.
    public let configuration: OIDServiceConfiguration
    /// `grant_type`.
    public let grantType: String
    /// `code`.
    public let authorizationCode: String?
    /// `redirect_uri`, the same as that of the authorization request.
    public let redirectURL: URL?
    /// `client_id`.
    public let clientID: String
    /// The client's secret; it is sent in the `Authorization` header.
    public let clientSecret: String?
    /// `scope`: the scopes with a space between.
    public let scope: String?
    /// `refresh_token`.
    public let refreshToken: String?
    /// `code_verifier` (RFC 7636, section 4.5).
    public let codeVerifier: String?
    /// The program's own parameters, as the texts that are sent; nil where none were given.
    public let additionalParameters: [String: String]?
    /// The program's own headers; nil where none were given.
    public let additionalHeaders: [String: String]?

    /// A request of which everything is given.
    ///
    /// Additional parameters may be texts, numbers, truth values and URLs; others are left out.
    public init(
        configuration: OIDServiceConfiguration,
        grantType: String,
        authorizationCode: String? = nil,
        redirectURL: URL? = nil,
        clientID: String,
        clientSecret: String? = nil,
        scope: String? = nil,
        refreshToken: String? = nil,
        codeVerifier: String? = nil,
        additionalParameters: [String: Any]? = nil,
        additionalHeaders: [String: String]? = nil
    ) {
        self.configuration = configuration
        self.grantType = grantType
        self.authorizationCode = authorizationCode
        self.redirectURL = redirectURL
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scope = scope
        self.refreshToken = refreshToken
        self.codeVerifier = codeVerifier
        self.additionalParameters = TextParameters.texts(additionalParameters)
        self.additionalHeaders = additionalHeaders
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil where the configuration, the grant type or the client is missing, or anything is of the
    /// wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        self.authorizationCode = archive.text("code")
        self.redirectURL = archive.url("redirect_uri")
        self.clientSecret = archive.text("client_secret")
        self.scope = archive.text("scope")
        self.refreshToken = archive.text("refresh_token")
        self.codeVerifier = archive.text("code_verifier")
        self.additionalParameters = archive.textMembers("additionalParameters")
        self.additionalHeaders = archive.textMembers("additionalHeaders")
        guard let configuration = archive.object("configuration", OIDServiceConfiguration.self),
            let grantType = archive.text("grant_type"), let clientID = archive.text("client_id"), archive.isWhole
        else {
            return nil
        }
        self.configuration = configuration
        self.grantType = grantType
        self.clientID = clientID
        super.init(coder: coder)
    }

    override open func encode(with coder: NSCoder) {
        coder.encode(members: [
            "configuration": self.configuration, "grant_type": self.grantType, "code": self.authorizationCode,
            "client_id": self.clientID, "client_secret": self.clientSecret, "redirect_uri": self.redirectURL,
            "scope": self.scope, "refresh_token": self.refreshToken, "code_verifier": self.codeVerifier,
            "additionalParameters": self.additionalParameters, "additionalHeaders": self.additionalHeaders,
        ])
    }

    override var facts: [(name: String, text: String?)] {
        [("client", self.clientID), ("grant type", self.grantType), ("scope", self.scope)]
    }
}
