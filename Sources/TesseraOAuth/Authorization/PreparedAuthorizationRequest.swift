// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// The parameters of an authorization request and the values that its response is checked against.
struct PreparedAuthorizationRequest: Sendable {
    let client: RegisteredClient
    let binding: AuthorizationBinding
    let state: Secret
    /// The uptime, in nanoseconds, at which the authorization expires.
    let deadline: Int64
    let endpoint: Endpoint
    let parameters: FormParameters
    let requestObject: RequestObject?

    init(
        _ request: AuthorizationRequest,
        by client: RegisteredClient,
        signingKey: JWSSigningKey?,
        lifetime: Duration
    ) throws {
        let metadata = client.metadata
        let randomBytes = client.runtime.randomBytes
        try client.client.securityProfile?.check(request, by: client, signingKey: signingKey)
        self.endpoint = try metadata.require(\.authorizationEndpoint, "authorization_endpoint")
        let tokenEndpoint = try client.endpoint(\.tokenEndpoint, "token_endpoint")
        // RFC 9700, section 2.1.1: `plain` is never used. S256 is sent even if the metadata does not list any methods.
        if let methods = metadata.codeChallengeMethodsSupported, !methods.contains("S256") {
            throw ProtocolViolationError(
                .codeChallengeMethod,
                expected: "S256 in code_challenge_methods_supported",
                actual: methods.joined(separator: " ")
            )
        }
        if let mode = request.responseMode, metadata.responseModesSupported?.contains(mode.rawValue) == false {
            throw InvalidRequestError("response_mode", reason: "the provider does not support \(mode.rawValue)")
        }
        if request.requestsIDToken { try client.checkIDTokenAlgorithms() }
        if request.effectiveResponseMode.isJWT { try client.checkAuthorizationResponseAlgorithms() }
        let request = request.withDefaultPrompt(at: metadata)
        // RFC 9101, section 10.5. If the provider requires a signature and no key was passed, use the client's own key.
        let signingKey = signingKey ?? (metadata.requireSignedRequestObject ? client.client.assertionKey : nil)
        if metadata.requireSignedRequestObject, signingKey == nil {
            throw InvalidRequestError(
                "request",
                reason: "the provider requires signed requests, but there is no signing key"
            )
        }
        self.requestObject = try signingKey.map { try RequestObject($0, for: metadata, lifetime: lifetime) }
        let dpopKey = client.dpop?.key
        try dpopKey?.checkAlgorithm(supported: metadata.dpopSigningAlgValuesSupported)
        let codeVerifier = CodeVerifier(randomBytes: randomBytes)
        self.state = request.state ?? Secret(RandomText.make(randomBytes))
        let nonce = request.requestsIDToken ? request.nonce ?? Secret(RandomText.make(randomBytes)) : nil
        self.parameters = try request.parameters(
            clientID: client.client.clientID,
            state: self.state,
            nonce: nonce,
            codeVerifier: codeVerifier,
            dpopKey: dpopKey
        )
        self.client = client
        self.binding = AuthorizationBinding(
            issuer: metadata.issuer,
            tokenEndpoint: tokenEndpoint,
            redirectURI: request.redirectURI,
            codeVerifier: codeVerifier,
            nonce: nonce,
            dpopKey: dpopKey,
            request: request
        )
        self.deadline = client.runtime.uptime() &+ lifetime.nanoseconds
    }

    /// Returns the page for a URL that contains the parameters.
    func page() throws -> AuthorizationPage {
        var form = try self.delivered()
        // OpenID Connect Core 1.0, section 6.1, requires these two even with a request object. RFC 9101 permits them.
        if self.requestObject != nil, self.binding.request.requestsIDToken {
            for name in ["response_type", "scope"] { form.append(name, self.parameters[name]) }
        }
        return AuthorizationPage(url: try self.url(form), expiresAt: nil)
    }

    /// Pushes the parameters to the provider and returns the page for a URL that refers to them.
    func pushed() async throws -> AuthorizationPage {
        let sentAt = self.client.runtime.uptime()
        let response = try await self.client.send(
            PushedAuthorizationRequest(
                endpoint: try self.client.endpoint(
                    \.pushedAuthorizationRequestEndpoint,
                    "pushed_authorization_request_endpoint"
                ),
                parameters: try self.delivered()
            )
        )
        // RFC 9126, section 4: pushed parameters are not repeated in the URL.
        var form = FormParameters()
        form.append("client_id", self.client.client.clientID)
        form.append("request_uri", response.requestURI)
        let lifetime = Duration.seconds(response.expiresIn).nanoseconds
        return AuthorizationPage(url: try self.url(form), expiresAt: sentAt &+ lifetime)
    }

    /// Returns the parameters, wrapped in a request object if they are signed (RFC 9101, section 5, and RFC 9126,
    /// section 3).
    private func delivered() throws -> FormParameters {
        guard let requestObject else { return self.parameters }
        var form = FormParameters()
        form.append("client_id", self.client.client.clientID)
        form.append("request", try requestObject.text(self.parameters, by: self.client))
        return form
    }

    /// Returns the URL of the endpoint with the parameters added to its query.
    private func url(_ parameters: FormParameters) throws -> String {
        try self.endpoint.url(with: parameters, name: "authorization_endpoint")
    }
}

/// The provider's page for an authorization request.
struct AuthorizationPage: Sendable {
    let url: String
    /// The uptime, in nanoseconds, at which the pushed request expires, or nil if the request was not pushed.
    let expiresAt: Int64?
}

/// The values that the response to an authorization request and the code exchange must match.
struct AuthorizationBinding: Sendable {
    let issuer: Issuer
    let tokenEndpoint: Endpoint
    let redirectURI: RedirectURI
    let codeVerifier: CodeVerifier
    let nonce: Secret?
    let dpopKey: DPoPKey?
    let request: AuthorizationRequest

    /// The nonce rule for the ID token.
    ///
    /// If the request sent a nonce, the token must contain it. Otherwise, it must not contain one.
    var nonceRule: IDTokenPolicy.NonceRule { self.nonce.map { .equal($0) } ?? .absent }
}
