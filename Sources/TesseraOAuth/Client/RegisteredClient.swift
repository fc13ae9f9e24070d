// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
public import TesseraJOSE

/// A client at one authorization server: what every request to the server's endpoints is made with.
///
/// A value that holds no state but the nonces of ``dpop``: make one where it is needed.
///
/// - SeeAlso: [RFC 6749, section 2](https://www.rfc-editor.org/rfc/rfc6749.html#section-2)
public struct RegisteredClient: Sendable {
    /// The program, as the server knows it.
    public var client: OAuthClient
    /// The server's endpoints, and what it supports.
    public var metadata: ServerMetadata
    /// The network, the clocks and the source of randomness.
    public var runtime: OAuthRuntime
    /// Proves the possession of the key that tokens are to be bound to; nil asks for bearer tokens.
    public var dpop: DPoPProver?
    /// Permissions that weaken security.
    public var insecure: Insecure

    /// A client at a server.
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

    /// Sends a request and reads its whole answer: at most 1 MiB, within `deadline`.
    ///
    /// A server that demands a DPoP nonce and gives it is asked once more with it, within a `deadline` of its own.
    ///
    /// - Throws: what the request throws for its answer; ``TransportError``; `CancellationError`.
    public func send<Request: EndpointRequest>(
        _ request: Request,
        deadline: Duration = .seconds(60)
    ) async throws -> Request.Answer {
        try await self.runtime.observed(request.exchange.at(self.metadata.issuer)) {
            var (message, response, body) = try await self.exchange(request, deadline)
            if self.dpop != nil, DPoPNonceDemand.canBeMet(response, body: body, request.dpopUse) {
                (message, response, body) = try await self.exchange(request, deadline)
            }
            do {
                return try request.answer(response, body: body, for: self)
            } catch {
                throw CarriedSecrets(of: self.client, message, answer: body).removed(from: error)
            }
        }
    }

    /// One message, made anew, since its proofs may be used once; with the nonce that the server gave last.
    private func exchange(
        _ request: some EndpointRequest,
        _ deadline: Duration
    ) async throws -> (OAuthMessage, HTTPResponse, [UInt8]) {
        var message = try request.message(for: self)
        switch request.dpopUse {
        case .none: break
        case .possession: try self.dpop?.prove(&message.request)
        case .accessToken(let token): try self.dpop?.prove(&message.request, accessToken: token)
        }
        let (response, body) = try await self.runtime.exchange(message, deadline: deadline)
        self.dpop?.learn(from: response, to: message.request)
        return (message, response, body)
    }

    /// Where to send a request: the server's endpoint for clients with a certificate where there is one and this client
    /// has one, else its usual endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: the endpoint.
    ///   - name: its name in the metadata, for example `token_endpoint`.
    /// - Returns: the endpoint.
    /// - Throws: `missingMetadata` where the server has none.
    /// - SeeAlso: [RFC 8705, section 5](https://www.rfc-editor.org/rfc/rfc8705.html#section-5)
    public func endpoint(_ endpoint: KeyPath<ServerMetadata, Endpoint?>, _ name: String) throws -> Endpoint {
        if self.client.usesCertificate, let alias = self.metadata.mtlsEndpointAliases[name] { return alias }
        return try self.metadata.require(endpoint, name)
    }

    /// A form for an endpoint, with the client's proof in it or beside it: the one place that applies it.
    ///
    /// `methods` is what the endpoint supports where its metadata says so by itself, else what the token endpoint does.
    func post(_ parameters: FormParameters, to endpoint: Endpoint, methods: [String]? = nil) throws -> OAuthMessage {
        var form = parameters
        let methods = methods ?? self.metadata.tokenEndpointAuthMethodsSupported
        let authentication = self.client.authentication(supported: methods)
        let authorization = try authentication.apply(to: &form, for: self, at: endpoint)
        return .post(form, to: endpoint, authorization: authorization)
    }

    /// The algorithms that an ID token of this server may be signed with: see ``OAuthClient/idTokenAlgorithms(supported:)``.
    public var idTokenAlgorithms: [JWSAlgorithm] {
        self.client.idTokenAlgorithms(supported: self.metadata.idTokenSigningAlgValuesSupported)
    }

    /// Checks that there is an algorithm by which an ID token of this server could be accepted.
    ///
    /// Called before the user is asked, or before a code or a refresh token is used up.
    ///
    /// - Throws: ``InvalidRequestError`` that names the algorithms of both sides.
    package func checkIDTokenAlgorithms() throws {
        guard self.idTokenAlgorithms.isEmpty else { return }
        throw Self.noCommonAlgorithm(
            "id_token_signed_response_alg",
            "ID tokens",
            own: self.client.idTokenAlgorithms,
            listed: self.metadata.idTokenSigningAlgValuesSupported
        )
    }

    /// Checks the same of signed authorization responses (JARM).
    func checkAuthorizationResponseAlgorithms() throws {
        let listed = self.metadata.authorizationSigningAlgValuesSupported
        guard self.client.authorizationResponseAlgorithms(supported: listed).isEmpty else { return }
        throw Self.noCommonAlgorithm(
            "authorization_signed_response_alg",
            "authorization responses",
            own: self.client.authorizationResponseAlgorithms,
            listed: listed
        )
    }

    private static func noCommonAlgorithm(
        _ name: String,
        _ subject: String,
        own: [JWSAlgorithm]?,
        listed: [String]?
    ) -> InvalidRequestError {
        let theirs = (listed ?? []).map { UntrustedText.printable($0, limit: 20) }.prefix(20).joined(separator: ", ")
        let ours = (own ?? JWSAlgorithm.supported).map(\.rawValue).joined(separator: ", ")
        let provider = theirs.isEmpty ? "an algorithm that it does not list" : theirs
        return InvalidRequestError(
            name,
            reason: "the provider signs \(subject) with \(provider), "
                + "and this client accepts \(ours.isEmpty ? "none" : ours)",
            advice: own == nil
                ? "Ask the provider for an algorithm that is accepted here."
                : "Accept one of the provider's algorithms, or leave the choice to its metadata."
        )
    }
}
