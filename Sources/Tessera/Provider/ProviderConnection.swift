// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Logging
internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
package import TesseraOAuth

/// A provider together with its cached metadata and keys.
///
/// A sign-in and its sessions share one connection.
package final class ProviderConnection: Sendable {
    private struct Known {
        let metadata: ServerMetadata
        /// Whether the metadata came from a stored session and therefore may be out of date.
        var isRemembered = false
        /// The uptime at which to fetch the metadata again, which is never for metadata that the app set.
        var dueAt: Int64 = .max
    }

    private struct State {
        var known: Known?
        /// The error from the last discovery, and the uptime before which received tokens do not trigger another one.
        var failure: (error: any Error, until: Int64)?
        var keySet: (endpoint: Endpoint, cache: KeySetCache)?
    }

    /// The maximum lifetime of a metadata document in seconds, one day.
    ///
    /// Endpoints seldom change, and a process that runs for months still finds new ones within a day. The response's
    /// `max-age` can shorten the lifetime to as little as 5 minutes.
    static let lifetime: Int64 = 86_400
    /// The delay before the next attempt to fetch metadata after a failure, in seconds.
    private static let cooldown: Int64 = 60
    private static let second: Int64 = 1_000_000_000

    let provider: Provider
    /// The provider in the most recent session record.
    private let recorded: Mutex<Shared<Provider>>
    let runtime: OAuthRuntime
    /// The clock that determines when tokens expire, shared by all sessions.
    let tokenClock: TokenClock
    private let nonces = DPoPNonces()
    private let state: Mutex<State>
    private let flight = SingleFlight<ServerMetadata>()
    let removals = PendingRemovals()
    let unsaved = UnsavedTokens()
    let lateRefreshes = LateRefreshes()

    init(_ provider: Provider, runtime: OAuthRuntime, logger: Logger) {
        self.provider = provider
        self.recorded = Mutex(Shared(provider))
        self.runtime = runtime.observer == nil ? runtime.observed(logger: logger, issuer: provider.issuer) : runtime
        self.tokenClock = TokenClock(self.runtime)
        self.state = Mutex(State(known: provider.metadata.map { Known(metadata: $0) }))
    }

    /// Creates a connection for requests outside of a sign-in or session.
    package convenience init(_ provider: Provider, runtime: OAuthRuntime) {
        self.init(provider, runtime: runtime, logger: Logger(label: "tessera"))
    }

    /// Updates an account in a store within an activity, so that the process is not suspended while it holds the lock.
    ///
    /// `body` must use the network only within the activity's time, and return when that time expires.
    ///
    /// - Throws: `postponed` if the time expires before the account is locked, or any error that `body` throws.
    func update<Result: Sendable>(
        _ account: Account,
        in store: any SessionStore,
        reason: String = "Saving a session",
        postponed: any Error = StoreError(.postponed, location: "the account's lock"),
        _ body: @escaping @Sendable (SessionStoreEntry, ActivityTime) async throws -> Result
    ) async throws -> Result {
        try await self.locking(reason, postponed) { begin, time in
            try await store.update(account) { entry in
                try begin()
                return try await body(entry, time)
            }
        }
    }

    /// Checks, within an activity, that a store can save a session.
    func probe(_ store: any SessionStore) async throws {
        try await self.locking("Checking the session store") { _, _ in try await store.probe() }
    }

    /// Runs an operation that waits for a lock within an activity, and stops waiting when the activity's time expires.
    func locking<Result: Sendable>(
        _ reason: String,
        _ postponed: any Error = StoreError(.postponed, location: "the account's lock"),
        _ operation:
            @escaping @Sendable (
                _ begin: @escaping @Sendable () throws -> Void,
                _ time: ActivityTime
            ) async throws -> Result
    ) async throws -> Result {
        try await self.runtime.suspension.activity(reason) { time in
            do {
                return try await time.run(waiting: { begin in try await operation(begin, time) })
            } catch is ActivityTime.ExpiredError {
                throw postponed
            }
        }
    }

    /// Returns the record with its provider replaced by an equal, shared instance to save memory.
    func sharing(_ record: SessionRecord) -> SessionRecord {
        var record = record
        record.sharedProvider = self.recorded.withLock { recorded in
            if recorded != record.sharedProvider { recorded = record.sharedProvider }
            return recorded
        }
        return record
    }

    /// Returns the cached metadata, or fetches it by discovery.
    ///
    /// Discovery requests the OpenID configuration first, then the RFC 8414 document if the former is missing. If the
    /// cached metadata has expired and the provider is unreachable, the cached metadata is still used. If a new
    /// document violates the protocol, an error is thrown.
    ///
    /// If `isFresh` is true, metadata from a stored session is ignored, because the provider's endpoints may have
    /// changed. New sign-ins set it.
    func metadata(isFresh: Bool = false) async throws -> ServerMetadata {
        let known = self.state.withLock { isFresh && $0.known?.isRemembered == true ? nil : $0.known }
        if let known, self.runtime.uptime() < known.dueAt { return known.metadata }
        do {
            return try await self.flight.run { try await self.discovered() }
        } catch let error as any ErrorGuidance where error.isRetryable {
            guard let known else { throw error }
            return known.metadata
        }
    }

    /// Returns metadata that another task has just fetched, or fetches it.
    private func discovered() async throws -> ServerMetadata {
        let uptime = self.runtime.uptime()
        if let known = self.state.withLock({ $0.known }), !known.isRemembered, uptime < known.dueAt {
            return known.metadata
        }
        do {
            let (metadata, lifetime) = try await self.discover()
            self.state.withLock { state in
                state.known = Known(metadata: metadata, dueAt: uptime + lifetime * Self.second)
                state.failure = nil
            }
            return metadata
        } catch {
            let isRetryable = (error as? any ErrorGuidance)?.isRetryable ?? false
            let end = self.runtime.uptime() + Self.cooldown * Self.second
            self.state.withLock { state in
                state.failure = (error, uptime + Self.cooldown * Self.second)
                // The metadata is still used if the provider is unreachable.
                if isRetryable, let present = state.known, present.dueAt < end { state.known?.dueAt = end }
            }
            throw error
        }
    }

    /// Returns the metadata to verify a token from an untrusted sender.
    ///
    /// A failed discovery is repeated only after a cooldown, so that many invalid tokens do not cause many requests.
    func metadataForReceivedToken() async throws -> ServerMetadata {
        let (known, failure) = self.state.withLock { ($0.known, $0.failure) }
        let uptime = self.runtime.uptime()
        if known.map({ $0.dueAt <= uptime }) ?? true, let failure, uptime < failure.until { throw failure.error }
        return try await self.metadata()
    }

    /// Caches the metadata of a stored session, unless other metadata is already cached.
    func remember(_ metadata: ServerMetadata?) {
        guard let metadata else { return }
        let dueAt = self.runtime.uptime() + Self.lifetime * Self.second
        self.state.withLock { state in
            guard state.known == nil else { return }
            state.known = Known(metadata: metadata, isRemembered: true, dueAt: dueAt)
        }
    }

    /// Returns the provider with its metadata, as stored in sessions.
    func resolvedProvider() async throws -> Provider {
        var provider = self.provider
        provider.metadata = try await self.metadata()
        return provider
    }

    /// Returns the client for requests to the provider's endpoints, with a DPoP key if tokens are bound to one.
    func registeredClient(dpopKey: DPoPKey? = nil) async throws -> RegisteredClient {
        RegisteredClient(
            self.provider.client,
            metadata: try await self.metadata(),
            runtime: self.runtime,
            dpop: dpopKey.map { self.prover($0) },
            insecure: self.provider.insecure
        )
    }

    /// Generates a DPoP key, or returns nil if the provider's policy does not bind tokens to a key.
    ///
    /// - Throws: `dpopAlgorithm` if a key is required and the provider's metadata does not list the key's algorithm.
    func newDPoPKey() async throws -> DPoPKey? {
        guard self.provider.dpop != .never else { return nil }
        let supported = try await self.metadata().dpopSigningAlgValuesSupported
        let key = try DPoPKey.generate()
        guard self.provider.dpop == .whenSupported else {
            // RFC 9449, section 5.1: this member indicates whether the provider supports DPoP at all. Without it the
            // user would consent to bearer tokens, so the sign-in fails early unless bearer tokens are permitted.
            let isBearerPermitted = self.provider.insecure.contains(.bearerInsteadOfDPoP)
            try key.checkAlgorithm(supported: isBearerPermitted ? supported : supported ?? [])
            return key
        }
        return supported?.contains(key.algorithm.rawValue) == true ? key : nil
    }

    /// Returns a prover for a session's key, for both the provider and resource servers.
    func prover(_ key: DPoPKey) -> DPoPProver { DPoPProver(key, nonces: self.nonces, runtime: self.runtime) }

    /// Validates a token with the provider's keys, assuming that the provider's clock is `clockSkew` seconds slow.
    ///
    /// `isFromProvider` indicates that the provider itself sent the token, which may have replaced a code or a refresh
    /// token. If the keys cannot be fetched, they are then requested a second time.
    func validate<Policy: TokenPolicy>(
        _ token: Secret,
        policy: Policy,
        clockSkew: Int64 = 0,
        isFromProvider: Bool = false
    ) async throws -> Policy.Token {
        let keySet = try await self.keySet()
        do {
            return try await keySet.validate(
                token,
                policy: policy,
                clockSkew: clockSkew,
                isFromProvider: isFromProvider
            )
        } catch let error as any ErrorGuidance where isFromProvider && error.isRetryable {
            return try await keySet.validate(token, policy: policy, clockSkew: clockSkew, isFromProvider: true)
        }
    }

    /// Validates the ID token of a token response.
    ///
    /// - Parameters:
    ///   - idToken: The ID token.
    ///   - accessToken: The access token of the same response.
    ///   - nonce: The rule for the token's nonce, which is ignored if there is a previous ID token.
    ///   - previous: The claims of the ID token that a refresh replaces. Both tokens must belong to the same sign-in.
    ///   - clockSkew: How far the provider's clock is behind the local clock, in seconds.
    /// - Returns: The validated token.
    /// - Throws: `ProtocolViolationError` if the token is not valid, or any error from fetching metadata and keys.
    /// - SeeAlso: [OpenID Connect Core 1.0, section 12.2](https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokenResponse)
    package func validate(
        _ idToken: Secret,
        beside accessToken: Secret,
        nonce: IDTokenPolicy.NonceRule = .absent,
        after previous: IDTokenClaims?,
        clockSkew: Int64 = 0
    ) async throws -> ValidatedIDToken {
        // The policy reads the supported algorithms from the cached metadata.
        _ = try await self.metadata()
        let nonce = previous.map { .absentOrEqual($0.nonce.map { Secret($0) }) } ?? nonce
        var policy = self.idTokenPolicy(nonce: nonce, accessToken: accessToken)
        policy.otherAudiences = previous?.audience ?? []
        policy.otherAuthorizedParties = previous?.authorizedParty.map { [$0] } ?? []
        let validated = try await self.validate(idToken, policy: policy, clockSkew: clockSkew)
        if let previous { try validated.checkContinuity(from: previous) }
        return validated
    }

    /// Verifies the response to a pending authorization.
    func receive(
        _ response: DeliveredResponse,
        for pending: PendingAuthorization
    ) async throws -> AuthorizationResponse {
        try await pending.receive(response, issuerAliases: self.provider.issuerAliases) { try await self.keySet() }
    }

    /// Requests the user's claims from the userinfo endpoint, and verifies them if the response is signed.
    ///
    /// The response must identify `subject`, unless that is nil.
    func userInfo(of source: any AccessTokenSource, subject: String?) async throws -> JSONValue {
        let client = try await self.registeredClient()
        let endpoint = try client.endpoint(\.userinfoEndpoint, "userinfo_endpoint")
        let origins = OriginPattern(of: endpoint.parts).map { [$0] } ?? []
        let transport = BoundedTransport(runtime: self.runtime)
        let response = try await self.runtime.observed(OAuthExchange.userInfo.at(self.provider.issuer)) {
            do {
                let response = try await transport.send(
                    UserInfoRequest.request(at: endpoint),
                    authorizedBy: source,
                    within: origins
                )
                let body = try await response.body.collect(upTo: .max)
                do {
                    return try UserInfoRequest.read(response.head, body: body, of: subject, for: client)
                } catch {
                    throw response.secrets.removed(from: error)
                }
            } catch let error as TokenUnavailable {
                throw error.cause
            }
        }
        switch response {
        case .plain(let claims): return claims
        case .signed(let token, var policy):
            policy.issuerAliases = self.provider.issuerAliases
            return try await self.validate(token, policy: policy)
        }
    }

    /// A transport that reads complete responses, within the limits of an exchange with the provider.
    private struct BoundedTransport: HTTPTransport {
        let runtime: OAuthRuntime

        func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            let (response, bytes) = try await self.runtime.exchange(OAuthMessage(request))
            return (response, HTTPBody(bytes))
        }
    }

    /// Returns the cache of the provider's signing keys.
    package func keySet() async throws -> KeySetCache {
        let endpoint = try await self.metadata().require(\.jwksURI, "jwks_uri")
        return self.state.withLock { state in
            // A new endpoint needs a new cache. If the endpoint is unchanged, its cache and cooldown are retained.
            if let known = state.keySet, known.endpoint == endpoint { return known.cache }
            let cache = KeySetCache(endpoint, runtime: self.runtime)
            state.keySet = (endpoint, cache)
            return cache
        }
    }

    /// Returns the policy for the provider's ID tokens, to which the caller adds the rules for its request.
    func idTokenPolicy(nonce: IDTokenPolicy.NonceRule, accessToken: Secret?) -> IDTokenPolicy {
        let supported = self.state.withLock { $0.known?.metadata.idTokenSigningAlgValuesSupported }
        return IDTokenPolicy(
            issuer: self.provider.issuer,
            issuerAliases: self.provider.issuerAliases,
            clientID: self.provider.client.clientID,
            algorithms: self.provider.client.idTokenAlgorithms(supported: supported),
            nonce: nonce,
            accessToken: accessToken,
            decrypt: self.runtime.decrypt
        )
    }
}
