// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

/// An authorization that is waiting for its redirect.
///
/// This object ties together the issuer, endpoints, `state`, `nonce`, code verifier, redirect URI, DPoP key and
/// deadline for one request. Only this object can exchange the redirect for a code, and only once.
///
/// - SeeAlso: [RFC 9700, sections 2.1 and 4.4](https://www.rfc-editor.org/rfc/rfc9700.html#section-2.1)
public final class PendingAuthorization: Sendable {
    private struct State {
        var isOpen = true
        var page: AuthorizationPage
    }

    let draft: PreparedAuthorizationRequest
    private let pending: Mutex<State>

    /// Creates a pending authorization with a URL that contains the request's parameters.
    ///
    /// - Parameters:
    ///   - request: The authorization request.
    ///   - metadata: The provider's metadata.
    ///   - client: The client that sends the request.
    ///   - runtime: The source of randomness and of the time for the deadline.
    ///   - dpop: The prover for the key that the code and its tokens are bound to. Only this key can exchange the code.
    ///   - signingKey: The key that signs the parameters as a request object (RFC 9101). If it is nil, they are
    ///     unsigned, unless the provider's metadata requires a signature. In that case, the client's
    ///     ``OAuthClient/assertionKey`` signs them.
    ///   - lifetime: The time after which the authorization expires.
    /// - Throws: `ProtocolViolationError` with `missingMetadata` if an endpoint is missing, `codeChallengeMethod` if
    ///   the provider's metadata excludes S256, or `dpopAlgorithm` if it excludes the key's algorithm. Throws
    ///   ``InvalidRequestError`` if a parameter cannot be sent, or if the provider or the client's ``SecurityProfile``
    ///   requires pushed requests. In that case, use ``begin(_:by:isPushed:signingKey:lifetime:)``.
    public convenience init(
        _ request: AuthorizationRequest,
        metadata: ServerMetadata,
        client: OAuthClient,
        runtime: OAuthRuntime,
        dpop: DPoPProver? = nil,
        signingKey: JWSSigningKey? = nil,
        lifetime: Duration = .seconds(600)
    ) throws {
        let client = RegisteredClient(client, metadata: metadata, runtime: runtime, dpop: dpop)
        guard !client.requiresPushedRequests else {
            throw InvalidRequestError(
                "request_uri",
                reason: "the provider or the security profile requires pushed authorization requests"
            )
        }
        let draft = try PreparedAuthorizationRequest(request, by: client, signingKey: signingKey, lifetime: lifetime)
        self.init(draft, try draft.page())
    }

    /// Creates a pending authorization and, if requested or required, pushes its parameters to the provider.
    ///
    /// The URL of a pushed request contains only the client ID and a reference. If the push fails, this method throws
    /// an error instead of sending the parameters in the URL.
    ///
    /// - Parameters:
    ///   - request: The authorization request.
    ///   - client: The client that sends the request, along with its provider.
    ///   - isPushed: Whether to push the parameters. They are always pushed if the provider's metadata or the client's
    ///     ``SecurityProfile`` requires it.
    ///   - signingKey: The key that signs the parameters as a request object (RFC 9101). If it is nil, they are
    ///     unsigned, unless the provider's metadata requires a signature. In that case, the client's
    ///     ``OAuthClient/assertionKey`` signs them.
    ///   - lifetime: The time after which the authorization expires.
    /// - Returns: The authorization, ready for the browser.
    /// - Throws: Any error that the initializer throws, or ``InvalidRequestError`` or `ProtocolViolationError` with
    ///   `missingMetadata` if the request violates the client's ``SecurityProfile``. If the request is pushed, also
    ///   ``OAuthError`` if the provider rejects it, ``HTTPStatusError`` for any status other than 201,
    ///   `ProtocolViolationError` with `pushedRequestFormat` if the response is not valid, ``TransportError``, or
    ///   `CancellationError`.
    /// - SeeAlso: [RFC 9126](https://www.rfc-editor.org/rfc/rfc9126.html)
    public static func begin(
        _ request: AuthorizationRequest,
        by client: RegisteredClient,
        isPushed: Bool = false,
        signingKey: JWSSigningKey? = nil,
        lifetime: Duration = .seconds(600)
    ) async throws -> PendingAuthorization {
        let draft = try PreparedAuthorizationRequest(request, by: client, signingKey: signingKey, lifetime: lifetime)
        let isPushed = isPushed || client.requiresPushedRequests
        let page = if isPushed { try await draft.pushed() } else { try draft.page() }
        return PendingAuthorization(draft, page)
    }

    init(_ draft: PreparedAuthorizationRequest, _ page: AuthorizationPage) {
        self.draft = draft
        self.pending = Mutex(State(page: page))
    }

    /// The URL to open in the user's browser.
    ///
    /// The URL contains `state` and `nonce` unless they were pushed. Do not show it to anyone else.
    public var authorizationURL: String { self.pending.withLock { $0.page.url } }
    /// The `state` that identifies the response.
    package var expectedState: Secret { self.draft.state }
    /// The provider's issuer identifier.
    public var issuer: Issuer { self.draft.binding.issuer }
    /// The authorization request.
    public var request: AuthorizationRequest { self.draft.binding.request }

    /// Returns the URL to open.
    ///
    /// Pushes the parameters again if the pushed request has expired.
    ///
    /// - Returns: The URL, which is also the new ``authorizationURL``.
    /// - Throws: Any error that ``begin(_:by:isPushed:signingKey:lifetime:)`` throws for a pushed request.
    public func freshAuthorizationURL() async throws -> String {
        let page = self.pending.withLock { $0.page }
        guard let expiresAt = page.expiresAt, expiresAt <= self.draft.client.runtime.uptime() else {
            return page.url
        }
        let fresh = try await self.draft.pushed()
        self.pending.withLock { $0.page = fresh }
        return fresh.url
    }

    /// Closes the authorization so that it no longer accepts a redirect.
    public func close() { self.pending.withLock { $0.isOpen = false } }

    /// Closes the authorization and returns whether it was open.
    func claim() -> Bool {
        self.pending.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
    }
}

extension PendingAuthorization: CustomReflectable {
    /// A mirror without children, because the authorization URL contains `state` and `nonce` in plaintext.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

extension PendingAuthorization {
    /// Returns whether a response belongs to this authorization.
    ///
    /// See ``mismatch(_:)`` for the rules.
    public func matches(_ response: DeliveredResponse) -> Bool { self.mismatch(response) == nil }

    /// Returns the reason why a response does not belong to this authorization, or nil if it does.
    ///
    /// A response belongs to the authorization if it arrived at the redirect URI in the requested mode and contains the
    /// expected `state`. The `state` in a signed response is read before the signature is verified. Any other response
    /// may be forged or belong to another request, so it is ignored. For example, a forged `?error=…` does not end the
    /// sign-in. This method does not change the authorization.
    public func mismatch(_ response: DeliveredResponse) -> ProtocolViolationError? {
        do throws(ProtocolViolationError) {
            _ = try self.parameters(of: response)
            return nil
        } catch {
            return error
        }
    }

    /// Accepts the response to this authorization.
    ///
    /// This method can succeed only once.
    ///
    /// - Parameters:
    ///   - response: The response as received.
    ///   - issuerAliases: Other values of `iss` that the provider is known to use in ID tokens.
    ///   - keys: A closure that returns the provider's keys. It is called only for a signed response (JARM, hybrid
    ///     flow). If it is nil, the keys are fetched from the `jwks_uri` in the provider's metadata.
    /// - Returns: The verified response with its code.
    /// - Throws: The error that ``mismatch(_:)`` returns, in which case the authorization remains open. Any other error
    ///   is final: ``OAuthError`` if the provider or the user denied the request, `ProtocolViolationError` with
    ///   `redirectReuse` if the authorization has already received a response, is closed, or has expired, or with
    ///   another rule if the response violates the protocol (wrong issuer, token in the front channel, missing code) or
    ///   its signature cannot be trusted, or any error that `keys` throws.
    /// - SeeAlso: [RFC 6749, section 10.12](https://www.rfc-editor.org/rfc/rfc6749.html#section-10.12),
    ///   [JARM, section 2.4](https://openid.net/specs/oauth-v2-jarm-final.html#section-2.4),
    ///   [OpenID Connect Core 1.0, section 3.3.2.12](https://openid.net/specs/openid-connect-core-1_0.html#HybridIDTValidation)
    public func receive(
        _ response: DeliveredResponse,
        issuerAliases: [String] = [],
        keys: (() async throws -> KeySetCache)? = nil
    ) async throws -> AuthorizationResponse {
        let evidence = try self.claim(response)
        return try await self.draft.validated(evidence, issuerAliases) {
            if let keys { return try await keys() }
            let client = self.draft.client
            return KeySetCache(try client.metadata.require(\.jwksURI, "jwks_uri"), runtime: client.runtime)
        }
    }

    /// Accepts a response to this authorization, which then rejects all others.
    func claim(_ response: DeliveredResponse) throws -> UnverifiedAuthorizationResponse {
        let parameters = try self.parameters(of: response)
        guard self.draft.client.runtime.uptime() < self.draft.deadline, self.claim() else {
            throw ProtocolViolationError(.redirectReuse, expected: "one redirect while the authorization is open")
        }
        return try self.draft.evidence(in: parameters)
    }

    private func parameters(of response: DeliveredResponse) throws(ProtocolViolationError) -> FormParameters {
        let mode = self.request.effectiveResponseMode
        let parameters = try self.request.redirectURI.parameters(of: response, mode: mode)
        var state = parameters["state"]
        if mode.isJWT, let signed = parameters["response"] {
            // Only the state is compared. Nothing in the token is trusted until its signature has been verified.
            state = try CompactJWS(parsing: signed).claims()["state"]?.string
        }
        guard let state, self.draft.state.withUnredacted({ ConstantTime.equal(state, $0) }) else {
            throw ProtocolViolationError(
                .state,
                expected: "the state of this authorization",
                actual: state == nil ? "none" : "another state"
            )
        }
        return parameters
    }
}
