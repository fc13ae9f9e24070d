// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// Asks a provider for an authorization: the page, and what is kept back for the exchange.
///
/// `@unchecked`, as ``AppAuthValue`` says: there is one `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 6749, section 4.1.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.1)
open class OIDAuthorizationRequest: AppAuthValue, @unchecked Sendable {
    /// Where the provider is.
    public var configuration: OIDServiceConfiguration { self.required("configuration") }
    /// `response_type`.
    public var responseType: String { self.required("response_type") }
    /// `client_id`.
    public var clientID: String { self.required("client_id") }
    /// The client's secret, for the exchange; it is no part of the page's URL.
    public var clientSecret: String? { self["client_secret"] }
    /// `scope`: the scopes with a space between; nil if none is requested.
    public var scope: String? { self["scope"] }
    /// `redirect_uri`.
    public var redirectURL: URL? { self["redirect_uri"] }
    /// `state`: what the redirect has to bring back.
    public var state: String? { self["state"] }
    /// `nonce`: what the ID token has to hold.
    public var nonce: String? { self["nonce"] }
    /// The secret of the attempt, for the exchange; it is no part of the page's URL (RFC 7636, section 4.1).
    public var codeVerifier: String? { self["code_verifier"] }
    /// `code_challenge` (RFC 7636, section 4.2).
    public var codeChallenge: String? { self["code_challenge"] }
    /// `code_challenge_method` (RFC 7636, section 4.3).
    public var codeChallengeMethod: String? { self["code_challenge_method"] }
    /// The program's own parameters, as the texts that are sent; nil where none were given.
    public var additionalParameters: [String: String]? { self["additionalParameters"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

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
        let values: [String: (any ArchivedValue)?] = [
            "configuration": configuration, "response_type": responseType, "client_id": clientID,
            "client_secret": clientSecret, "scope": scope, "redirect_uri": redirectURL, "state": state, "nonce": nonce,
            "code_verifier": codeVerifier, "code_challenge": codeChallenge,
            "code_challenge_method": codeChallengeMethod,
            "additionalParameters": TextParameters.texts(additionalParameters),
        ]
        self.stored = Contents(Self.fields, values)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil if the configuration, the response type or the client is missing, or anything is of the wrong
    /// type.
    public required init?(coder: NSCoder) {
        guard let contents = Contents(coder, Self.fields) else { return nil }
        self.stored = contents
        super.init(coder: coder)
    }

    private static let fields = Field.list(
        required: [
            "configuration": OIDServiceConfiguration.self, "response_type": String.self,
            "client_id": String.self,
        ],
        optional: [
            "client_secret": String.self, "scope": String.self, "redirect_uri": URL.self, "state": String.self,
            "nonce": String.self, "code_verifier": String.self, "code_challenge": String.self,
            "code_challenge_method": String.self, "additionalParameters": [String: String].self,
        ]
    )

    override var facts: [(name: String, text: String?)] {
        [("client", self.clientID), ("response type", self.responseType), ("scope", self.scope)]
    }
}

extension OIDAuthorizationRequest: OIDExternalUserAgentRequest {
    /// The page that asks the user.
    ///
    /// The query of the authorization endpoint is kept; no parameter is there twice, and the request's own come before
    /// the program's.
    ///
    /// - SeeAlso: [RFC 6749, section 3.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.1)
    public func authorizationRequestURL() -> URL {
        let form = FormParameters(
            [
                "response_type": self.responseType, "client_id": self.clientID,
                "redirect_uri": self.redirectURL?.absoluteString, "scope": self.scope, "state": self.state,
                "nonce": self.nonce, "code_challenge": self.codeChallenge,
                "code_challenge_method": self.codeChallengeMethod,
            ],
            additional: self.additionalParameters
        )
        return self.configuration.authorizationEndpoint.adding(form)
    }

    /// The same as ``authorizationRequestURL()``; never nil.
    public func externalUserAgentRequestURL() -> URL! { self.authorizationRequestURL() }

    /// The scheme of the redirect URL; nil without one.
    public func redirectScheme() -> String! { self.redirectURL?.scheme }
}

extension OIDAuthorizationRequest {
    /// An unguessable state: 32 random bytes, 43 characters; never nil.
    public class func generateState() -> String? { RandomText.make(SystemRandomBytes.make) }

    /// A code verifier: 32 random bytes, 43 characters; never nil.
    ///
    /// - SeeAlso: [RFC 7636, section 4.1](https://www.rfc-editor.org/rfc/rfc7636.html#section-4.1)
    public class func generateCodeVerifier() -> String? { RandomText.make(SystemRandomBytes.make) }

    /// The challenge for a verifier: the base64url text of its SHA-256; nil for nil.
    ///
    /// - SeeAlso: [RFC 7636, section 4.2](https://www.rfc-editor.org/rfc/rfc7636.html#section-4.2)
    public class func codeChallengeS256(forVerifier codeVerifier: String?) -> String? {
        codeVerifier.map { CodeVerifier(Secret($0)).codeChallenge }
    }
}

extension OIDAuthorizationRequest {
    /// Creates a request with a generated state and code challenge.
    ///
    /// - Parameters:
    ///   - configuration: The provider's endpoints.
    ///   - clientID: The client.
    ///   - clientSecret: The client's secret, or nil for a public client.
    ///   - scopes: The scopes to request.
    ///   - redirectURL: Where the provider redirects to.
    ///   - responseType: The response type, such as ``OIDResponseTypeCode``.
    ///   - nonce: Defaults to a generated nonce. Without a nonce nothing binds an ID token to this request.
    ///   - additionalParameters: More parameters: strings, numbers, booleans and URLs.
    public convenience init(
        configuration: OIDServiceConfiguration,
        clientId clientID: String,
        clientSecret: String? = nil,
        scopes: [String]?,
        redirectURL: URL,
        responseType: String,
        nonce: String? = OIDAuthorizationRequest.generateState(),
        additionalParameters: [String: Any]?
    ) {
        let verifier = CodeVerifier(randomBytes: SystemRandomBytes.make)
        self.init(
            configuration: configuration,
            clientId: clientID,
            clientSecret: clientSecret,
            scope: ScopeText.joined(scopes),
            redirectURL: redirectURL,
            responseType: responseType,
            state: RandomText.make(SystemRandomBytes.make),
            nonce: nonce,
            codeVerifier: verifier.secret.withUnredacted { $0 },
            codeChallenge: verifier.codeChallenge,
            codeChallengeMethod: OIDOAuthorizationRequestCodeChallengeMethodS256,
            additionalParameters: additionalParameters
        )
    }
}
