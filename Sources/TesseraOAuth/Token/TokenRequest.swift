// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE

/// A request to the token endpoint.
///
/// The request is sent to the token endpoint in the client's metadata unless you pass another endpoint. A code is
/// always sent to the endpoint that was recorded when its authorization started.
///
/// - SeeAlso: [RFC 6749, sections 4.1.3 and 6](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
public struct TokenRequest: EndpointRequest {
    /// The endpoint, or nil to use the one in the metadata.
    var endpoint: Endpoint?
    var parameters: FormParameters
    var scopes: [Scope] = []
    /// The requirements that the response must meet.
    var expectation = TokenExpectation()
    /// Whether the request identifies and authenticates the client.
    package var identifiesClient = true
    /// The grant type (`grant_type`).
    public var grantType: String { self.parameters["grant_type"] ?? "" }
    /// The absolute URIs of the APIs that the token is for (`resource`), if the provider supports RFC 8707.
    ///
    /// Empty by default.
    ///
    /// - SeeAlso: [RFC 8707, section 2.2](https://www.rfc-editor.org/rfc/rfc8707.html#section-2.2)
    public var resources: [String] = []
    /// Additional parameters that are specific to the provider.
    ///
    /// They must not include parameters that the request or the client authentication sets.
    public var additionalParameters: [String: String] = [:]
    /// Additional header fields.
    ///
    /// They must not include fields that the request or the client authentication sets.
    package var headerFields: [String: String] = [:]
    /// Whether a response without a JSON content type is rejected.
    ///
    /// Set this to false for servers that send another type.
    public var requiresJSONContentType = true
    /// The proof for token requests, ``DPoPUse/possession``, because the tokens are bound to the proof's key.
    public var dpopUse: DPoPUse { .possession }
    /// The exchange kind for observers, which is a token request with the grant type.
    public var exchange: OAuthExchange { .token(grantType: self.grantType) }

    /// Creates a request for a grant, omitting parameters that have no value.
    init(
        _ grantType: String,
        _ parameters: KeyValuePairs<String, Secret?> = [:],
        scopes: [Scope] = [],
        at endpoint: Endpoint?,
        expectation: TokenExpectation = TokenExpectation()
    ) {
        self.parameters = FormParameters()
        self.parameters.append("grant_type", grantType)
        for (name, value) in parameters { self.parameters.append(name, value?.withUnredacted { $0 }) }
        self.scopes = scopes
        self.endpoint = endpoint
        self.expectation = expectation
    }

    /// Creates a request for any grant with the given form and additional header fields.
    package init(form: FormParameters, headerFields: [String: String]) {
        self.parameters = form
        self.headerFields = headerFields
    }

    /// Creates a request to exchange an authorization code for tokens.
    ///
    /// The request uses the authorization's token endpoint, redirect URI and code verifier. A code can be used only
    /// once. After a failure, start a new authorization.
    public static func authorizationCode(_ response: AuthorizationResponse) -> TokenRequest {
        var request = TokenRequest(
            "authorization_code",
            [
                "code": response.code, "redirect_uri": Secret(response.binding.redirectURI.uri),
                "code_verifier": response.binding.codeVerifier.secret,
            ],
            at: response.binding.tokenEndpoint,
            expectation: TokenExpectation(
                idTokenRequired: response.request.requestsIDToken,
                frontChannel: response.idToken?.claims,
                dpopKey: response.dpopKey
            )
        )
        request.resources = response.request.resources
        return request
    }

    /// Creates a request to exchange a refresh token for new tokens.
    ///
    /// - Parameters:
    ///   - refreshToken: The refresh token.
    ///   - scopes: A subset of the granted scopes, to get an access token with less access. If this is empty (the
    ///     default), the provider issues a token with all granted scopes.
    ///   - tokenEndpoint: The token endpoint, or nil to use the one in the metadata.
    /// - Returns: The request.
    public static func refresh(
        _ refreshToken: Secret,
        scopes: [Scope] = [],
        at tokenEndpoint: Endpoint? = nil
    ) -> TokenRequest {
        TokenRequest("refresh_token", ["refresh_token": refreshToken], scopes: scopes, at: tokenEndpoint)
    }

    /// Returns the message to send, including the client's authentication.
    ///
    /// - Throws: ``InvalidRequestError`` if the client lacks a secret or key for its authentication, if the code is
    ///   bound to another DPoP key, or if a scope, resource, parameter or header field cannot be sent. Throws
    ///   `ProtocolViolationError` with `missingMetadata` if the server has no token endpoint.
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        if let key = self.expectation.dpopKey, key != client.dpop?.key {
            throw InvalidRequestError("dpop_jkt", reason: "the code is bound to a DPoP key other than the client's")
        }
        let endpoint = try self.endpoint ?? client.endpoint(\.tokenEndpoint, "token_endpoint")
        var form = self.parameters
        try form.append(scopes: self.scopes)
        try form.append(resources: self.resources)
        try form.append(additional: self.additionalParameters.sorted { $0.key < $1.key })
        var message = self.identifiesClient ? try client.post(form, to: endpoint) : .post(form, to: endpoint)
        // Sort the fields so that the result does not depend on hashing if a name appears with two spellings.
        for (name, value) in self.headerFields.sorted(by: { $0.key < $1.key }) {
            guard let field = HTTPField.Name(name) else {
                throw InvalidRequestError(name, reason: "this is not a header field")
            }
            try message.add(field, value)
        }
        return message
    }
}

/// The requirements that the response to a token request must meet.
struct TokenExpectation: Sendable {
    var idTokenRequired = false
    /// Whether the response must specify the type of the issued token, which need not be an access token (RFC 8693).
    var isExchange = false
    /// The claims in the ID token that arrived with the code in the hybrid flow.
    var frontChannel: IDTokenClaims?
    /// The DPoP key that the code is bound to.
    var dpopKey: DPoPKey?
}

extension TokenRequest {
    /// Creates a request for an access token for the client itself, without a user.
    ///
    /// The client must be able to authenticate. The response contains no refresh token. When the access token expires,
    /// send the request again.
    ///
    /// - Parameters:
    ///   - scopes: The requested scopes, or an empty array to use the provider's default.
    ///   - tokenEndpoint: The token endpoint, or nil to use the one in the metadata.
    /// - Returns: The request.
    /// - SeeAlso: [RFC 6749, section 4.4](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.4)
    public static func clientCredentials(scopes: [Scope] = [], at tokenEndpoint: Endpoint? = nil) -> TokenRequest {
        TokenRequest("client_credentials", scopes: scopes, at: tokenEndpoint)
    }

    /// Creates a request to exchange a signed assertion for an access token.
    ///
    /// The assertion comes from a service account, or from another provider that the server trusts.
    ///
    /// - Parameters:
    ///   - assertion: The assertion, for example from ``TokenAssertion/signed(by:runtime:)``.
    ///   - scopes: The requested scopes, if the provider does not read them from the assertion.
    ///   - identifiesClient: Whether the client also identifies and authenticates itself. Set this to false for service
    ///     accounts that are not clients, such as Google's.
    ///   - tokenEndpoint: The token endpoint, or nil to use the one in the metadata.
    /// - Returns: The request.
    /// - SeeAlso: [RFC 7523, section 2.1](https://www.rfc-editor.org/rfc/rfc7523.html#section-2.1)
    public static func jwtBearer(
        assertion: Secret,
        scopes: [Scope] = [],
        identifiesClient: Bool = true,
        at tokenEndpoint: Endpoint? = nil
    ) -> TokenRequest {
        let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        var request = TokenRequest(grantType, ["assertion": assertion], scopes: scopes, at: tokenEndpoint)
        request.identifiesClient = identifiesClient
        return request
    }

    /// Creates a request to exchange a code that an app obtained for its backend, which this client represents.
    ///
    /// The response must contain an ID token, because the backend cannot otherwise identify the user. A code can be
    /// used only once. After a failure, the app must obtain a new one.
    ///
    /// - SeeAlso: [RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
    public static func serverAuthCode(_ code: ServerAuthCode) -> TokenRequest {
        TokenRequest(
            "authorization_code",
            [
                "code": code.code, "redirect_uri": Secret(code.redirectURI), "code_verifier": code.codeVerifier,
            ],
            at: nil,
            expectation: TokenExpectation(idTokenRequired: true)
        )
    }

    /// Creates a request to exchange one token for another, for example to call another API, reduce access, or act on
    /// behalf of a user.
    ///
    /// The response always contains ``TokenResponse/issuedTokenType``. If the issued token is not an access token,
    /// ``TokenResponse/tokenType`` is ``TokenType/notApplicable``. To send `resource`, set ``resources``.
    ///
    /// - Parameters:
    ///   - subject: The token that represents the party on whose behalf the request is made.
    ///   - actor: The token that represents the acting party, if it is different from the subject.
    ///   - audiences: The names of the services that the token is for.
    ///   - requestedType: The requested type of token.
    ///   - scopes: The requested scopes.
    ///   - tokenEndpoint: The token endpoint, or nil to use the one in the metadata.
    /// - Returns: The request.
    /// - SeeAlso: [RFC 8693, section 2.1](https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1)
    public static func tokenExchange(
        subject: SecurityToken,
        actor: SecurityToken? = nil,
        audiences: [String] = [],
        requestedType: TokenTypeIdentifier? = nil,
        scopes: [Scope] = [],
        at tokenEndpoint: Endpoint? = nil
    ) -> TokenRequest {
        var request = TokenRequest(
            "urn:ietf:params:oauth:grant-type:token-exchange",
            [
                "subject_token": subject.token, "subject_token_type": Secret(subject.type.rawValue),
                "actor_token": actor?.token, "actor_token_type": (actor?.type.rawValue).map(Secret.init),
                "requested_token_type": (requestedType?.rawValue).map(Secret.init),
            ],
            scopes: scopes,
            at: tokenEndpoint,
            expectation: TokenExpectation(isExchange: true)
        )
        for audience in audiences { request.parameters.append("audience", audience) }
        return request
    }

    /// Creates a request for a grant that this module does not support.
    ///
    /// The response is checked like the response to any other token request. Parameters can be repeated.
    ///
    /// - Parameters:
    ///   - grantType: The absolute URI that identifies the grant type.
    ///   - parameters: The grant's parameters, except `scope`, `resource` and any that the client authentication sets.
    ///   - scopes: The requested scopes.
    ///   - tokenEndpoint: The token endpoint, or nil to use the one in the metadata.
    /// - Returns: The request.
    /// - Throws: ``InvalidRequestError`` if the grant type is not an absolute URI or the request sets one of the
    ///   parameters itself.
    /// - SeeAlso: [RFC 6749, section 4.5](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.5)
    public static func extensionGrant(
        _ grantType: String,
        parameters: KeyValuePairs<String, String>,
        scopes: [Scope] = [],
        at tokenEndpoint: Endpoint? = nil
    ) throws -> TokenRequest {
        guard URIParts(grantType) != nil else {
            throw InvalidRequestError("grant_type", reason: "an extension grant must be an absolute URI")
        }
        var request = TokenRequest(grantType, scopes: scopes, at: tokenEndpoint)
        try request.parameters.append(additional: parameters)
        return request
    }
}

/// An authorization code that an app obtained for its backend.
///
/// Only the backend's client can use the code, and only once. GoogleSignIn calls it `serverAuthCode`.
///
/// - SeeAlso: [RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
public struct ServerAuthCode: Sendable, Hashable {
    /// The authorization code (`code`).
    public var code: Secret
    /// The redirect URI (`redirect_uri`), which is empty for a code without a redirect and `postmessage` for a code
    /// from a script on a web page.
    public var redirectURI: String
    /// The code verifier (`code_verifier`), or nil if the app did not send a code challenge.
    public var codeVerifier: Secret?

    /// Creates a code, by default without a redirect URI or verifier, like the codes that Google's SDKs for apps
    /// return.
    public init(_ code: Secret, redirectURI: String = "", codeVerifier: Secret? = nil) {
        self.code = code
        self.redirectURI = redirectURI
        self.codeVerifier = codeVerifier
    }
}

/// A token of any type, for use in a token exchange.
///
/// - SeeAlso: [RFC 8693, section 2.1](https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1)
public struct SecurityToken: Sendable, Hashable {
    /// The token.
    public let token: Secret
    /// The type of the token.
    public let type: TokenTypeIdentifier

    /// Creates a token with the given type.
    public init(_ token: Secret, type: TokenTypeIdentifier) {
        self.token = token
        self.type = type
    }
}
