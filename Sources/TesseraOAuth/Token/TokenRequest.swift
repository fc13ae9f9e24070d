// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// A request to the token endpoint.
///
/// The endpoint is the one of the client's metadata unless another is named; a code always goes to the one that its
/// attempt was made with.
///
/// - SeeAlso: [RFC 6749, sections 4.1.3 and 6](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
public struct TokenRequest: EndpointRequest {
    /// Nil: the one of the metadata.
    let endpoint: Endpoint?
    let parameters: FormParameters
    let scopes: [Scope]
    /// What the answer has to fit.
    let expectation: TokenExpectation
    /// Whether the client names and proves itself.
    let identifiesClient: Bool
    /// `grant_type`.
    public var grantType: String { self.parameters["grant_type"] ?? "" }
    /// `resource`: absolute URIs of the APIs that the token is wanted for, at providers that know RFC 8707; empty sends
    /// none.
    ///
    /// - SeeAlso: [RFC 8707, section 2.2](https://www.rfc-editor.org/rfc/rfc8707.html#section-2.2)
    public var resources: [String] = []
    /// More parameters, for providers that document some; none of those that the request or the client's proof writes.
    public var additionalParameters: [String: String] = [:]
    /// Whether an answer whose content type is not JSON is refused; false is for servers that do not know better.
    public var requiresJSONContentType = true
    /// Always: the tokens are bound to the key of the proof.
    public var dpopUse: DPoPUse { .possession }
    /// A token request, and its grant.
    public var exchange: OAuthExchange { .token(grantType: self.grantType) }

    init(
        _ grantType: String,
        _ parameters: KeyValuePairs<String, Secret>,
        scopes: [Scope] = [],
        at endpoint: Endpoint?,
        expectation: TokenExpectation = TokenExpectation(),
        identifiesClient: Bool = true
    ) {
        var form = FormParameters()
        form.append("grant_type", grantType)
        for (name, value) in parameters { form.append(name, value.withUnredacted { $0 }) }
        self.init(form, scopes, at: endpoint, expectation, identifiesClient)
    }

    /// A request with a form that has the grant type already.
    init(
        _ parameters: FormParameters,
        _ scopes: [Scope],
        at endpoint: Endpoint?,
        _ expectation: TokenExpectation = TokenExpectation(),
        _ identifiesClient: Bool = true
    ) {
        self.parameters = parameters
        self.scopes = scopes
        self.endpoint = endpoint
        self.expectation = expectation
        self.identifiesClient = identifiesClient
    }

    /// A request of whoever has made the form, whatever the grant, to the endpoint of the metadata.
    package init(form: FormParameters) { self.init(form, [], at: nil) }

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
    ///   code that is bound to another key than the client's, for scopes, resources and parameters that cannot be sent;
    ///   `missingMetadata` without a token endpoint.
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        if let key = self.expectation.dpopKey, key != client.dpop?.key {
            throw InvalidRequestError("dpop_jkt", reason: "the code is bound to the key of its own attempt")
        }
        let endpoint = try self.endpoint ?? client.endpoint(\.tokenEndpoint, "token_endpoint")
        var form = self.parameters
        try form.append(scopes: self.scopes)
        try form.append(resources: self.resources)
        try form.append(additional: self.additionalParameters.sorted { $0.key < $1.key })
        return self.identifiesClient ? try client.post(form, to: endpoint) : .post(form, to: endpoint)
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
