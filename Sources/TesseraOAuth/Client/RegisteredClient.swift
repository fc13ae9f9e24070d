// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
public import TesseraJOSE

/// A client and the authorization server it is registered with.
///
/// A registered client sends every request to the server's endpoints. It has no state except the nonces in ``dpop``, so
/// you can create one wherever you need it.
///
/// - SeeAlso: [RFC 6749, section 2](https://www.rfc-editor.org/rfc/rfc6749.html#section-2)
public struct RegisteredClient: Sendable {
    /// The client as registered with the server.
    public var client: OAuthClient
    /// The server's metadata.
    public var metadata: ServerMetadata
    /// The network, the clocks and the source of randomness.
    public var runtime: OAuthRuntime
    /// The prover for the key that tokens are bound to, or nil to request bearer tokens.
    public var dpop: DPoPProver?
    /// The permitted exceptions that weaken security.
    public var insecure: Insecure

    /// Creates a client that is registered with a server.
    public init(
        _ client: OAuthClient,
        metadata: ServerMetadata,
        runtime: OAuthRuntime,
        dpop: DPoPProver? = nil,
        insecure: Insecure = []
    ) {
        self.client = client
        self.metadata = metadata
        self.runtime = runtime
        self.dpop = dpop
        self.insecure = insecure
    }

    /// Sends a request and returns its decoded response.
    ///
    /// The whole response, at most 1 MiB, must arrive within `deadline`. If the server requires and supplies a DPoP
    /// nonce, the request is sent once more with the nonce and a new deadline.
    ///
    /// - Throws: Any error that the request throws, ``TransportError``, `CancellationError`, or ``InvalidRequestError``
    ///   if the client or its provider violates the client's ``SecurityProfile``.
    public func send<Request: EndpointRequest>(
        _ request: Request,
        deadline: Duration = .seconds(60)
    ) async throws -> Request.Response {
        let issuesTokens = if case .possession = request.dpopUse { true } else { false }
        try self.client.securityProfile?.check(self, issuesTokens: issuesTokens)
        return try await self.runtime.observed(request.exchange.at(self.metadata.issuer)) {
            var (message, response, body) = try await self.exchange(request, deadline)
            if self.dpop != nil, DPoPNonceChallenge.isSatisfiable(response, body: body, request.dpopUse) {
                (message, response, body) = try await self.exchange(request, deadline)
            }
            do {
                return try request.decode(response, body: body, for: self)
            } catch {
                throw ExchangeSecrets(of: self.client, message, response: body).removed(from: error)
            }
        }
    }

    /// Sends a new message with the server's latest DPoP nonce and returns the response.
    ///
    /// The message is created for each attempt, because its proofs can be used only once.
    private func exchange(
        _ request: some EndpointRequest,
        _ deadline: Duration
    ) async throws -> (OAuthMessage, HTTPResponse, [UInt8]) {
        var message = try request.message(for: self)
        switch request.dpopUse {
        case .none: break
        case .possession: try self.dpop?.addProof(to: &message.request)
        case .accessToken(let token): try self.dpop?.addProof(to: &message.request, accessToken: token)
        }
        let (response, body) = try await self.runtime.exchange(message, deadline: deadline)
        self.dpop?.updateNonce(from: response, to: message.request)
        return (message, response, body)
    }

    /// Returns the endpoint to which a request is sent.
    ///
    /// If the client uses a certificate and the server has an alias for such clients, this is the alias. Otherwise, it
    /// is the usual endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: The key path of the endpoint.
    ///   - name: The endpoint's name in the metadata, for example `token_endpoint`.
    /// - Returns: The endpoint.
    /// - Throws: `ProtocolViolationError` with `missingMetadata` if the server does not have the endpoint.
    /// - SeeAlso: [RFC 8705, section 5](https://www.rfc-editor.org/rfc/rfc8705.html#section-5)
    public func endpoint(_ endpoint: KeyPath<ServerMetadata, Endpoint?>, _ name: String) throws -> Endpoint {
        if self.client.usesCertificate, let alias = self.metadata.mtlsEndpointAliases[name] { return alias }
        return try self.metadata.require(endpoint, name)
    }

    /// Whether authorization requests must be pushed, which the server (RFC 9126, section 5) or the client's security
    /// profile can require.
    var requiresPushedRequests: Bool {
        self.metadata.requirePushedAuthorizationRequests || self.client.securityProfile != nil
    }

    /// Returns a message that contains a form and the client's authentication.
    ///
    /// Only this method applies client authentication. `methods` lists the authentication methods that the endpoint
    /// supports. If it is nil, the token endpoint's methods are used.
    func post(_ parameters: FormParameters, to endpoint: Endpoint, methods: [String]? = nil) throws -> OAuthMessage {
        var form = parameters
        let methods = methods ?? self.metadata.tokenEndpointAuthMethodsSupported
        let authentication = self.client.authentication(supported: methods)
        let authorization = try authentication.apply(to: &form, for: self, at: endpoint)
        return .post(form, to: endpoint, authorization: authorization)
    }

    /// The algorithms that are accepted for this server's ID tokens.
    ///
    /// See ``OAuthClient/idTokenAlgorithms(supported:)``.
    public var idTokenAlgorithms: [JWSAlgorithm] {
        self.client.idTokenAlgorithms(supported: self.metadata.idTokenSigningAlgValuesSupported)
    }

    /// Checks that the client accepts at least one algorithm that the server uses for ID tokens.
    ///
    /// Call this before the user signs in, and before a code or refresh token is used.
    ///
    /// - Throws: ``InvalidRequestError`` with the algorithms on both sides.
    package func checkIDTokenAlgorithms() throws {
        guard self.idTokenAlgorithms.isEmpty else { return }
        throw self.noCommonAlgorithm(
            "id_token_signed_response_alg",
            "ID tokens",
            own: self.client.idTokenAlgorithms,
            listed: self.metadata.idTokenSigningAlgValuesSupported
        )
    }

    /// Checks that the client accepts at least one algorithm that the server uses for authorization responses (JARM).
    func checkAuthorizationResponseAlgorithms() throws {
        let listed = self.metadata.authorizationSigningAlgValuesSupported
        guard self.client.authorizationResponseAlgorithms(supported: listed).isEmpty else { return }
        throw self.noCommonAlgorithm(
            "authorization_signed_response_alg",
            "authorization responses",
            own: self.client.authorizationResponseAlgorithms,
            listed: listed
        )
    }

    private func noCommonAlgorithm(
        _ name: String,
        _ subject: String,
        own: [JWSAlgorithm]?,
        listed: [String]?
    ) -> InvalidRequestError {
        let theirs = (listed ?? []).map { UntrustedText.printable($0, limit: 20) }.prefix(20).joined(separator: ", ")
        let accepted = own ?? self.client.securityProfile?.algorithms ?? JWSAlgorithm.supported
        let ours = accepted.map(\.rawValue).joined(separator: ", ")
        let provider = theirs.isEmpty ? "an algorithm that it does not list" : theirs
        return InvalidRequestError(
            name,
            reason: "the provider signs \(subject) with \(provider), "
                + "but this client accepts \(ours.isEmpty ? "none" : ours)",
            advice: own == nil
                ? "Ask the provider to use an algorithm that this client accepts."
                : "Accept one of the provider's algorithms, or do not restrict the algorithms."
        )
    }
}
