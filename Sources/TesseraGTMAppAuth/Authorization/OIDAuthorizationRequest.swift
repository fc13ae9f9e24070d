// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

/// A request to the authorization endpoint, including the secrets that the code exchange needs.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``AppAuthValue``. The only stored property is
/// a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 6749, section 4.1.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.1)
open class OIDAuthorizationRequest: AppAuthValue, @unchecked Sendable {
    /// The provider's endpoints.
    public var configuration: OIDServiceConfiguration { self.required("configuration") }
    /// The response type (`response_type`).
    public var responseType: String { self.required("response_type") }
    /// The client identifier (`client_id`).
    public var clientID: String { self.required("client_id") }
    /// The client secret for the code exchange.
    ///
    /// It is not included in the request URL.
    public var clientSecret: String? { self["client_secret"] }
    /// The scopes, separated by spaces (`scope`).
    public var scope: String? { self["scope"] }
    /// The redirect URL (`redirect_uri`).
    public var redirectURL: URL? { self["redirect_uri"] }
    /// The value that the redirect must return (`state`).
    public var state: String? { self["state"] }
    /// The value that the ID token must contain (`nonce`).
    public var nonce: String? { self["nonce"] }
    /// The PKCE code verifier for the code exchange (RFC 7636, section 4.1).
    ///
    /// It is not included in the request URL.
    public var codeVerifier: String? { self["code_verifier"] }
    /// The PKCE code challenge (`code_challenge`, RFC 7636, section 4.2).
    public var codeChallenge: String? { self["code_challenge"] }
    /// The PKCE code challenge method (`code_challenge_method`, RFC 7636, section 4.3).
    public var codeChallengeMethod: String? { self["code_challenge_method"] }
    /// The app's additional parameters, converted to strings.
    ///
    /// They are empty, and not nil, if there are none.
    public var additionalParameters: [String: String]? { self["additionalParameters"] ?? [:] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates an authorization request.
    ///
    /// Additional parameters can be strings, numbers, Booleans or URLs. Other values are ignored.
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

    /// Decodes a request, or returns nil if the configuration, response type or client identifier is missing or a value
    /// has the wrong type.
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
    /// Returns the URL of the authorization page.
    ///
    /// The parameters are appended to the authorization endpoint's query, as ``OIDURLQueryComponent`` encodes them. The
    /// additional parameters follow the standard ones and cannot repeat them.
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

    /// Returns ``authorizationRequestURL()``, which is never nil.
    public func externalUserAgentRequestURL() -> URL! { self.authorizationRequestURL() }

    /// Returns the scheme of the redirect URL, if any.
    public func redirectScheme() -> String! { self.redirectURL?.scheme }
}

extension OIDAuthorizationRequest {
    /// Returns a state made of 32 random bytes, encoded as 43 characters.
    ///
    /// The result is never nil.
    public class func generateState() -> String? { RandomText.make(SystemRandomBytes.make) }

    /// Returns a code verifier made of 32 random bytes, encoded as 43 characters.
    ///
    /// The result is never nil.
    ///
    /// - SeeAlso: [RFC 7636, section 4.1](https://www.rfc-editor.org/rfc/rfc7636.html#section-4.1)
    public class func generateCodeVerifier() -> String? { RandomText.make(SystemRandomBytes.make) }

    /// Returns the code challenge for a verifier, which is its SHA-256 hash in base64url.
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
    ///   - clientID: The client identifier.
    ///   - clientSecret: The client secret, or nil for a public client.
    ///   - scopes: The scopes to request. An empty list is sent as an empty `scope`.
    ///   - redirectURL: The URL to which the provider redirects.
    ///   - responseType: The response type, such as ``OIDResponseTypeCode``.
    ///   - nonce: The nonce, which defaults to a generated value. Without a nonce, an ID token is not bound to this
    ///     request.
    ///   - additionalParameters: Additional parameters, which can be strings, numbers, Booleans or URLs.
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
            scope: scopes.map { OIDScopeUtilities.scopes(with: $0) },
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
