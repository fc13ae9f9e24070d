// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

/// One attempt to authorize, from the request to its one redirect: binds issuer, endpoints, `state`, `nonce`, code
/// verifier, redirect URI, DPoP key and deadline.
///
/// Only it can turn a redirect into a code, and only once.
///
/// - SeeAlso: [RFC 9700, sections 2.1 and 4.4](https://www.rfc-editor.org/rfc/rfc9700.html#section-2.1)
public final class PendingAuthorization: Sendable {
    private struct State {
        var isOpen = true
        var page: AuthorizationPage
    }

    let draft: AuthorizationDraft
    private let pending: Mutex<State>

    /// Begins an attempt whose parameters go in the URL.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - metadata: the provider's endpoints.
    ///   - client: who asks.
    ///   - runtime: supplies randomness and the clock of the deadline.
    ///   - dpop: proves the key that the code and its tokens are to be bound to, the only one that can then exchange it.
    ///   - signingKey: signs the parameters as a request object (RFC 9101); nil: they are sent plainly, unless the
    ///     provider's metadata demand a signature, which is then by the client's ``OAuthClient/assertionKey``.
    ///   - lifetime: how long the redirect may take.
    /// - Throws: `missingMetadata` without the endpoints, `codeChallengeMethod` where the provider's metadata excludes
    ///   S256, `dpopAlgorithm` where it excludes the key's algorithm, ``InvalidRequestError`` for parameters that cannot be
    ///   sent and for a provider that takes only pushed requests: those begin with
    ///   ``begin(_:by:isPushed:signingKey:lifetime:)``.
    public convenience init(
        _ request: AuthorizationRequest,
        metadata: ServerMetadata,
        client: OAuthClient,
        runtime: OAuthRuntime,
        dpop: DPoPProver? = nil,
        signingKey: JWSSigningKey? = nil,
        lifetime: Duration = .seconds(600)
    ) throws {
        // RFC 9126, section 5.
        guard !metadata.requirePushedAuthorizationRequests else {
            throw InvalidRequestError("request_uri", reason: "the provider takes only requests that were pushed to it")
        }
        let client = RegisteredClient(client, metadata: metadata, runtime: runtime, dpop: dpop)
        let draft = try AuthorizationDraft(request, by: client, signingKey: signingKey, lifetime: lifetime)
        self.init(draft, try draft.page())
    }

    /// Begins an attempt, and pushes its parameters to the provider where that is asked for or demanded.
    ///
    /// The URL of a pushed request has nothing but the client and a reference. A push that fails is never made good by
    /// parameters in the URL.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - client: who asks, and where.
    ///   - isPushed: whether the parameters are pushed; they are in any case where the provider's metadata demand it.
    ///   - signingKey: signs the parameters as a request object (RFC 9101); nil: they are sent plainly, unless the
    ///     provider's metadata demand a signature, which is then by the client's ``OAuthClient/assertionKey``.
    ///   - lifetime: how long the redirect may take.
    /// - Returns: the attempt, ready for the browser.
    /// - Throws: as the initializer; for a push ``OAuthError`` where the provider said no, ``HTTPStatusError`` for any
    ///   other status but 201, `pushedRequestFormat`, ``TransportError``, `CancellationError`.
    /// - SeeAlso: [RFC 9126](https://www.rfc-editor.org/rfc/rfc9126.html)
    public static func begin(
        _ request: AuthorizationRequest,
        by client: RegisteredClient,
        isPushed: Bool = false,
        signingKey: JWSSigningKey? = nil,
        lifetime: Duration = .seconds(600)
    ) async throws -> PendingAuthorization {
        let draft = try AuthorizationDraft(request, by: client, signingKey: signingKey, lifetime: lifetime)
        let isPushed = isPushed || client.metadata.requirePushedAuthorizationRequests
        let page = if isPushed { try await draft.pushed() } else { try draft.page() }
        return PendingAuthorization(draft, page)
    }

    init(_ draft: AuthorizationDraft, _ page: AuthorizationPage) {
        self.draft = draft
        self.pending = Mutex(State(page: page))
    }

    /// The URL to show in the person's browser.
    ///
    /// It holds `state` and `nonce`, unless they were pushed: show it to nobody else.
    public var authorizationURL: String { self.pending.withLock { $0.page.url } }
    /// `state`, by which the answer is known.
    package var expectedState: Secret { self.draft.state }
    /// The provider that was asked.
    public var issuer: Issuer { self.draft.binding.issuer }
    /// What was asked for.
    public var request: AuthorizationRequest { self.draft.binding.request }

    /// The URL to show when some time has passed since the attempt began: what was pushed and has expired meanwhile is
    /// pushed again.
    ///
    /// - Returns: the URL, from now on also ``authorizationURL``.
    /// - Throws: as ``begin(_:by:isPushed:signingKey:lifetime:)`` for a push.
    public func freshAuthorizationURL() async throws -> String {
        let page = self.pending.withLock { $0.page }
        guard let expiresAt = page.expiresAt, expiresAt <= self.draft.client.runtime.uptime() else {
            return page.url
        }
        let fresh = try await self.draft.pushed()
        self.pending.withLock { $0.page = fresh }
        return fresh.url
    }

    /// Ends the attempt: no redirect is accepted any more.
    public func close() { self.pending.withLock { $0.isOpen = false } }

    /// True for the first caller only.
    func claim() -> Bool {
        self.pending.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
    }
}

extension PendingAuthorization: CustomReflectable {
    /// A mirror without children: the authorization URL has `state` and `nonce` in the clear.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

extension PendingAuthorization {
    /// Returns whether a response belongs to this authorization; see ``mismatch(_:)``.
    public func matches(_ response: DeliveredResponse) -> Bool { self.mismatch(response) == nil }

    /// Returns why a response does not belong to this authorization, or nil if it does.
    ///
    /// A response belongs to it if it arrived at its redirect URI, in the requested mode, with its `state`. A signed response
    /// has the state inside, which is read before the signature is verified. Anything else may be forged, or be the response
    /// to another request, and changes nothing: a forged `?error=…` ends no sign-in. Neither does this method change anything.
    public func mismatch(_ response: DeliveredResponse) -> ProtocolViolationError? {
        do throws(ProtocolViolationError) {
            _ = try self.parameters(of: response)
            return nil
        } catch {
            return error
        }
    }

    /// Receives the response to this authorization, once.
    ///
    /// - Parameters:
    ///   - response: What arrived.
    ///   - issuerAliases: Other spellings of `iss` that the provider is known to use in ID tokens.
    ///   - keys: Returns the provider's keys. It is called only for a response that rests on a signature (JARM, hybrid flow).
    ///     Nil takes them from the `jwks_uri` of the provider's metadata.
    /// - Returns: The response with its code, verified.
    /// - Throws: The violation of ``mismatch(_:)``, which leaves the authorization open. Everything else is final:
    ///   ``OAuthError`` if the provider or the user denied the request; `redirectReuse` if the authorization has received a
    ///   response, is closed, or has reached its deadline; `ProtocolViolationError` for a response that breaks the protocol
    ///   (another issuer, a token in the front channel, no code) or whose signature cannot be trusted; the errors of `keys`.
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

    /// Takes a response that belongs to this authorization, which receives no other from then on.
    func claim(_ response: DeliveredResponse) throws -> AuthorizationEvidence {
        let parameters = try self.parameters(of: response)
        guard self.draft.client.runtime.uptime() < self.draft.deadline, self.claim() else {
            throw ProtocolViolationError(.redirectReuse, expected: "one redirect, while the attempt is open")
        }
        return try self.draft.evidence(in: parameters)
    }

    private func parameters(of response: DeliveredResponse) throws(ProtocolViolationError) -> FormParameters {
        let mode = self.request.effectiveResponseMode
        let parameters = try self.request.redirectURI.parameters(of: response, mode: mode)
        var state = parameters["state"]
        if mode.isJWT, let signed = parameters["response"] {
            // Nothing in there is trusted before its signature is verified; only our own state is looked for.
            state = try CompactJWS(parsing: signed).claims()["state"]?.string
        }
        guard let state, self.draft.state.withUnredacted({ ConstantTime.equal(state, $0) }) else {
            throw ProtocolViolationError(
                .state,
                expected: "the state of this attempt",
                actual: state == nil ? "none" : "another state"
            )
        }
        return parameters
    }
}
