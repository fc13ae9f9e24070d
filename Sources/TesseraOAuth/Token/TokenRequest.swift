// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE

/// A request to the token endpoint.
///
/// The endpoint is the one of the client's metadata unless another is named; a code always goes to the one that its
/// attempt was made with.
///
/// - SeeAlso: [RFC 6749, sections 4.1.3 and 6](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
public struct TokenRequest: EndpointRequest {
    /// Nil: the one of the metadata.
    var endpoint: Endpoint?
    var parameters: FormParameters
    var scopes: [Scope] = []
    /// What the answer has to fit.
    var expectation = TokenExpectation()
    /// Whether the client names and proves itself.
    var identifiesClient = true
    /// `grant_type`.
    public var grantType: String { self.parameters["grant_type"] ?? "" }
    /// `resource`: absolute URIs of the APIs that the token is wanted for, at providers that know RFC 8707; empty sends
    /// none.
    ///
    /// - SeeAlso: [RFC 8707, section 2.2](https://www.rfc-editor.org/rfc/rfc8707.html#section-2.2)
    public var resources: [String] = []
    /// More parameters, for providers that document some; none of those that the request or the client's proof writes.
    public var additionalParameters: [String: String] = [:]
    /// More header fields; none of those that the request or the client's proof writes.
    private var headerFields: [String: String] = [:]
    /// Whether an answer whose content type is not JSON is refused; false is for servers that do not know better.
    public var requiresJSONContentType = true
    /// Always: the tokens are bound to the key of the proof.
    public var dpopUse: DPoPUse { .possession }
    /// A token request, and its grant.
    public var exchange: OAuthExchange { .token(grantType: self.grantType) }

    /// A request of a grant; a parameter without a value is left out.
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

    /// Creates a request with a caller's form, whatever the grant, and the caller's own header fields.
    package init(form: FormParameters, headerFields: [String: String]) {
        self.parameters = form
        self.headerFields = headerFields
    }

    /// Exchanges a code, at the token endpoint of the provider that its attempt asked, with the attempt's own redirect
    /// URI and verifier.
    ///
    /// A code is used once: after a failure, start a new attempt.
    public static func authorizationCode(_ response: AuthorizationResponse) -> TokenRequest {
        var request = TokenRequest(
            "authorization_code",
            [
                "code": response.code, "redirect_uri": Secret(response.binding.redirectURI.uri),
                "code_verifier": response.binding.codeVerifier.secret,
            ],
            at: response.binding.tokenEndpoint,
            expectation: TokenExpectation(
                idTokenRequired: response.request.asksForIDToken,
                frontChannel: response.idToken?.claims,
                dpopKey: response.dpopKey
            )
        )
        request.resources = response.request.resources
        return request
    }

    /// Exchanges a refresh token for fresh tokens.
    ///
    /// - Parameters:
    ///   - refreshToken: the refresh token.
    ///   - scopes: a part of what was granted, for an access token that may do less; by default none is sent, and the
    ///     answer has what was granted, and nothing that was not is asked for again.
    ///   - tokenEndpoint: where, nil for the endpoint of the metadata.
    /// - Returns: the request.
    public static func refresh(
        _ refreshToken: Secret,
        scopes: [Scope] = [],
        at tokenEndpoint: Endpoint? = nil
    ) -> TokenRequest {
        TokenRequest("refresh_token", ["refresh_token": refreshToken], scopes: scopes, at: tokenEndpoint)
    }

    /// The request, ready to be sent, with the client's proof.
    ///
    /// - Throws: ``InvalidRequestError`` when the proof needs a secret or a key that the client does not have, for a
    ///   code that is bound to another key than the client's, for scopes, resources, parameters and header fields that
    ///   cannot be sent; `missingMetadata` without a token endpoint.
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        if let key = self.expectation.dpopKey, key != client.dpop?.key {
            throw InvalidRequestError("dpop_jkt", reason: "the code is bound to the key of its own attempt")
        }
        let endpoint = try self.endpoint ?? client.endpoint(\.tokenEndpoint, "token_endpoint")
        var form = self.parameters
        try form.append(scopes: self.scopes)
        try form.append(resources: self.resources)
        try form.append(additional: self.additionalParameters.sorted { $0.key < $1.key })
        var message = self.identifiesClient ? try client.post(form, to: endpoint) : .post(form, to: endpoint)
        // By name: which of two spellings of one name is sent must not be chance.
        for (name, value) in self.headerFields.sorted(by: { $0.key < $1.key }) {
            guard let field = HTTPField.Name(name) else {
                throw InvalidRequestError(name, reason: "this is not a header field")
            }
            try message.add(field, value)
        }
        return message
    }
}

/// What the answer to a token request has to bring.
struct TokenExpectation: Sendable {
    var idTokenRequired = false
    /// Whether it has to say what kind of token was issued, which need not be an access token (RFC 8693).
    var isExchange = false
    /// What the ID token beside the code said, in the hybrid flow.
    var frontChannel: IDTokenClaims?
    /// The key that a code is bound to.
    var dpopKey: DPoPKey?
}

extension TokenRequest {
    /// Asks for an access token for the client itself, with no person behind it.
    ///
    /// Only for clients that can prove who they are. There is no refresh token: ask again.
    ///
    /// - Parameters:
    ///   - scopes: what is asked for; empty leaves it to the provider.
    ///   - tokenEndpoint: where, nil for the endpoint of the metadata.
    /// - Returns: the request.
    /// - SeeAlso: [RFC 6749, section 4.4](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.4)
    public static func clientCredentials(scopes: [Scope] = [], at tokenEndpoint: Endpoint? = nil) -> TokenRequest {
        TokenRequest("client_credentials", scopes: scopes, at: tokenEndpoint)
    }

    /// Exchanges a signed assertion for an access token: a service account's, or a token of a provider that this one
    /// trusts.
    ///
    /// - Parameters:
    ///   - assertion: the assertion, as ``TokenAssertion/signed(by:runtime:)`` makes it.
    ///   - scopes: what is asked for, where the provider does not read it in the assertion.
    ///   - identifiesClient: whether the client names and proves itself beside the assertion; false for the service
    ///     accounts that are no clients (Google).
    ///   - tokenEndpoint: where, nil for the endpoint of the metadata.
    /// - Returns: the request.
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

    /// Exchanges a code that an app got for this client, the one of the program's server.
    ///
    /// The answer has to bring an ID token: nobody here saw who consented. A code is used once: after a failure the app
    /// asks for a new one.
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

    /// Exchanges a token for another one: for another API, with less power, or to act for somebody.
    ///
    /// What was issued is ``TokenResponse/issuedTokenType``, always there; where it is no access token,
    /// ``TokenResponse/tokenType`` is ``TokenType/notApplicable``. For `resource` set ``resources``.
    ///
    /// - Parameters:
    ///   - subject: on whose behalf.
    ///   - actor: who acts, where that is somebody else.
    ///   - audiences: the names of the services that the token is wanted for.
    ///   - requestedType: what kind of token is wanted.
    ///   - scopes: what is asked for.
    ///   - tokenEndpoint: where, nil for the endpoint of the metadata.
    /// - Returns: the request.
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

    /// Asks by a grant that this module does not know.
    ///
    /// The answer is judged as that of every other token request. A parameter may be there more than once.
    ///
    /// - Parameters:
    ///   - grantType: the grant's absolute URI.
    ///   - parameters: what the grant is asked with; not `scope`, `resource` and the client's proof.
    ///   - scopes: what is asked for.
    ///   - tokenEndpoint: where, nil for the endpoint of the metadata.
    /// - Returns: the request.
    /// - Throws: ``InvalidRequestError`` for a grant type that is no absolute URI, and for a parameter that is not the
    ///   caller's to write.
    /// - SeeAlso: [RFC 6749, section 4.5](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.5)
    public static func extensionGrant(
        _ grantType: String,
        parameters: KeyValuePairs<String, String>,
        scopes: [Scope] = [],
        at tokenEndpoint: Endpoint? = nil
    ) throws -> TokenRequest {
        guard URIParts(grantType) != nil else {
            throw InvalidRequestError("grant_type", reason: "an extension grant is named by an absolute URI")
        }
        var request = TokenRequest(grantType, scopes: scopes, at: tokenEndpoint)
        try request.parameters.append(additional: parameters)
        return request
    }
}

/// A code that an app got for its program's server, in the app's own sign-in; good once, for the server's client alone.
///
/// GoogleSignIn calls it `serverAuthCode`.
///
/// - SeeAlso: [RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
public struct ServerAuthCode: Sendable, Hashable {
    /// `code`.
    public var code: Secret
    /// `redirect_uri`: empty for a code that no redirect brought, `postmessage` for one that a page's script got.
    public var redirectURI: String
    /// `code_verifier`, where the app sent a challenge for this code; nil where it did not.
    public var codeVerifier: Secret?

    /// A code; without a redirect URI and without a verifier, as Google's libraries for apps give it.
    public init(_ code: Secret, redirectURI: String = "", codeVerifier: Secret? = nil) {
        self.code = code
        self.redirectURI = redirectURI
        self.codeVerifier = codeVerifier
    }
}

/// A token of any kind, as a token exchange takes it.
///
/// - SeeAlso: [RFC 8693, section 2.1](https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1)
public struct SecurityToken: Sendable, Hashable {
    /// Its text.
    public let token: Secret
    /// What kind of token it is.
    public let type: TokenTypeIdentifier

    /// A token.
    public init(_ token: Secret, type: TokenTypeIdentifier) {
        self.token = token
        self.type = type
    }
}
