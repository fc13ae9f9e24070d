// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// One attempt before it has a URL: what it is bound to, and the parameters that are yet to reach the provider.
struct AuthorizationDraft: Sendable {
    let client: RegisteredClient
    let binding: AuthorizationBinding
    let state: Secret
    /// The uptime at which the attempt is over.
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
        self.endpoint = try metadata.require(\.authorizationEndpoint, "authorization_endpoint")
        let tokenEndpoint = try client.endpoint(\.tokenEndpoint, "token_endpoint")
        // RFC 9700, section 2.1.1: never plain. Where the metadata is silent, S256 is sent all the same.
        if let methods = metadata.codeChallengeMethodsSupported, !methods.contains("S256") {
            throw ProtocolViolationError(
                .codeChallengeMethod,
                expected: "S256 in code_challenge_methods_supported",
                actual: methods.joined(separator: " ")
            )
        }
        if let mode = request.responseMode, metadata.responseModesSupported?.contains(mode.rawValue) == false {
            throw InvalidRequestError("response_mode", reason: "the provider does not announce \(mode.rawValue)")
        }
        if request.asksForIDToken { try client.checkIDTokenAlgorithms() }
        if request.effectiveResponseMode.isJWT { try client.checkAuthorizationResponseAlgorithms() }
        let request = request.withDefaultPrompt(at: metadata)
        // RFC 9101, section 10.5. The client's own key serves where the provider demands a signature and no other is named.
        let signingKey = signingKey ?? (metadata.requireSignedRequestObject ? client.client.assertionKey : nil)
        if metadata.requireSignedRequestObject, signingKey == nil {
            throw InvalidRequestError(
                "request",
                reason: "the provider takes only signed requests: a signing key is needed"
            )
        }
        self.requestObject = try signingKey.map { try RequestObject($0, for: metadata, lifetime: lifetime) }
        let dpopKey = client.dpop?.key
        try dpopKey?.checkAlgorithm(supported: metadata.dpopSigningAlgValuesSupported)
        let codeVerifier = CodeVerifier(randomBytes: randomBytes)
        self.state = request.state ?? Secret(RandomText.make(randomBytes))
        let nonce = request.asksForIDToken ? request.nonce ?? Secret(RandomText.make(randomBytes)) : nil
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

    /// The page with the parameters in its URL.
    func page() throws -> AuthorizationPage {
        var form = try self.delivered()
        // OpenID Connect Core 1.0, section 6.1, demands these two also beside a request object; RFC 9101 lets them be.
        if self.requestObject != nil, self.binding.request.asksForIDToken {
            for name in ["response_type", "scope"] { form.append(name, self.parameters[name]) }
        }
        return AuthorizationPage(url: try self.url(form), expiresAt: nil)
    }

    /// The page that finds the parameters at the provider: they are sent there first.
    func pushed() async throws -> AuthorizationPage {
        let sentAt = self.client.runtime.uptime()
        let answer = try await self.client.send(
            PushedAuthorizationRequest(
                endpoint: try self.client.endpoint(
                    \.pushedAuthorizationRequestEndpoint,
                    "pushed_authorization_request_endpoint"
                ),
                parameters: try self.delivered()
            )
        )
        // RFC 9126, section 4: what was pushed is not sent again.
        var form = FormParameters()
        form.append("client_id", self.client.client.clientID)
        form.append("request_uri", answer.requestURI)
        let lifetime = Duration.seconds(answer.expiresIn).nanoseconds
        return AuthorizationPage(url: try self.url(form), expiresAt: sentAt &+ lifetime)
    }

    /// The parameters as they are, or in a request object: RFC 9101, section 5, and RFC 9126, section 3.
    private func delivered() throws -> FormParameters {
        guard let requestObject else { return self.parameters }
        var form = FormParameters()
        form.append("client_id", self.client.client.clientID)
        form.append("request", try requestObject.text(self.parameters, by: self.client))
        return form
    }

    /// The endpoint with the parameters behind those that it has.
    private func url(_ parameters: FormParameters) throws -> String {
        try self.endpoint.url(with: parameters, name: "authorization_endpoint")
    }
}

/// The provider's page for one attempt.
struct AuthorizationPage: Sendable {
    let url: String
    /// The uptime at which a pushed request is forgotten; nil: never.
    let expiresAt: Int64?
}

/// What one attempt is bound to; travels from the request to the exchange of its code, and nowhere else.
struct AuthorizationBinding: Sendable {
    let issuer: Issuer
    let tokenEndpoint: Endpoint
    let redirectURI: RedirectURI
    let codeVerifier: CodeVerifier
    let nonce: Secret?
    let dpopKey: DPoPKey?
    let request: AuthorizationRequest

    /// What the nonce of an ID token has to be: the one that was sent, none where none was.
    var nonceRule: IDTokenPolicy.NonceRule { self.nonce.map { .equal($0) } ?? .absent }
}
