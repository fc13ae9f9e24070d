// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Logging
internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
package import TesseraOAuth

/// A provider with what is learnt about it on the way: its metadata and its keys.
///
/// Shared by a sign-in and its sessions.
package final class ProviderConnection: Sendable {
    private struct Known {
        let metadata: ServerMetadata
        /// Whether the metadata came from a stored session, and so may be out of date.
        var isRemembered = false
        /// The uptime from which they are asked for again; never for those that the program brought.
        var dueAt: Int64 = .max
    }

    private struct State {
        var known: Known?
        /// Why the last discovery failed, and the uptime until which it is not repeated for a token that anyone may send.
        var failure: (error: any Error, until: Int64)?
        var keySet: (endpoint: Endpoint, cache: KeySetCache)?
    }

    /// How long a metadata document serves: a day, since endpoints change seldom, and a program that runs for months
    /// finds them again before the day is over.
    ///
    /// The document's own `max-age` may shorten it, down to five minutes.
    static let lifetime: Int64 = 86_400
    /// How long metadata that cannot be had anew serve on before the next try, in seconds.
    private static let cooldown: Int64 = 60
    private static let second: Int64 = 1_000_000_000

    let provider: Provider
    /// As the last session's record has it.
    private let recorded: Mutex<Shared<Provider>>
    let runtime: OAuthRuntime
    /// The clock of all sessions' tokens.
    let tokenClock: TokenClock
    private let nonces = DPoPNonces()
    private let state: Mutex<State>
    private let flight = SingleFlight<ServerMetadata>()
    private let removals = Mutex<[Removal]>([])

    /// A removal of an account's record that waits for the account's lock.
    private final class Removal: Sendable {
        let account: Account
        /// Whether the user has consented since the removal began.
        let isOvertaken = Mutex(false)

        init(_ account: Account) { self.account = account }
    }

    init(_ provider: Provider, runtime: OAuthRuntime, logger: Logger) {
        self.provider = provider
        self.recorded = Mutex(Shared(provider))
        self.runtime = runtime.observer == nil ? runtime.observed(logger: logger, issuer: provider.issuer) : runtime
        self.tokenClock = TokenClock(self.runtime)
        self.state = Mutex(State(known: provider.metadata.map { Known(metadata: $0) }))
    }

    /// Creates a connection for requests that belong to no sign-in and no session.
    package convenience init(_ provider: Provider, runtime: OAuthRuntime) {
        self.init(provider, runtime: runtime, logger: Logger(label: "tessera"))
    }

    /// Updates an account in a store as an activity, so that the process is not suspended while it has the lock.
    ///
    /// `body` uses the network only within the activity's time, and returns when that is over.
    ///
    /// - Throws: `postponed` if the time is over before the account is locked, and what `body` throws.
    func update<Result: Sendable>(
        _ account: Account,
        in store: any SessionStore,
        reason: String = "Saving a session",
        postponed: any Error = StoreError(.postponed, place: "the account's lock"),
        _ body: @escaping @Sendable (SessionStoreEntry, ActivityTime) async throws -> Result
    ) async throws -> Result {
        try await self.locking(reason, postponed) { begin, time in
            try await store.update(account) { entry in
                try begin()
                return try await body(entry, time)
            }
        }
    }

    /// Removes an account's record as an activity, unless the user has consented again once the account is locked.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - store: The store.
    ///   - session: The session that ends when the removal begins. If it lives again, its record stays.
    /// - Throws: ``StoreError``: `postponed` if the activity's time is over before the account is locked.
    func remove(
        _ account: Account,
        from store: any SessionStore,
        ending session: OAuthSession? = nil
    ) async throws {
        let removal = Removal(account)
        // Together: a consent comes before both or after both.
        self.removals.withLock { removals in
            removals.append(removal)
            session?.end(SessionEndedError(.signedOut))
        }
        defer { self.removals.withLock { $0.removeAll { $0 === removal } } }
        let isWanted: @Sendable () -> Bool = {
            !removal.isOvertaken.withLock { $0 } && (session.map { $0.ended != nil } ?? true)
        }
        try await self.locking("Removing a session") { begin, _ in
            let isLocked = Mutex(false)
            do {
                try await store.update(account) { entry in
                    isLocked.withLock { $0 = true }
                    try begin()
                    if isWanted() { try await entry.remove() }
                }
            } catch let error as StoreError where error.code != .busy && !isLocked.withLock({ $0 }) {
                // A store that cannot prepare an update may be able to remove: on a full disk, or where nothing exists.
                if isWanted() { try await store.remove(account) }
            }
        }
    }

    /// Keeps the record of a consent from removals that began before it; called while the account is locked.
    func keepRecord(of account: Account) {
        self.removals.withLock { removals in
            for removal in removals where removal.account == account { removal.isOvertaken.withLock { $0 = true } }
        }
    }

    /// Checks as an activity that a store can save a session.
    func probe(_ store: any SessionStore) async throws {
        try await self.locking("Checking the session store") { _, _ in try await store.probe() }
    }

    /// Runs something that waits for a lock as an activity, and stops waiting when its time is over.
    private func locking<Result: Sendable>(
        _ reason: String,
        _ postponed: any Error = StoreError(.postponed, place: "the account's lock"),
        _ operation:
            @escaping @Sendable (
                _ begin: @escaping @Sendable () throws -> Void,
                _ time: ActivityTime
            ) async throws -> Result
    ) async throws -> Result {
        try await self.runtime.suspension.activity(reason) { time in
            do {
                return try await time.run(waiting: { begin in try await operation(begin, time) })
            } catch is ActivityTime.OverError {
                throw postponed
            }
        }
    }

    /// The same record with its provider as the last one had it, where both are equal: then its parts are held once.
    func sharing(_ record: SessionRecord) -> SessionRecord {
        var record = record
        record.sharedProvider = self.recorded.withLock { recorded in
            if recorded != record.sharedProvider { recorded = record.sharedProvider }
            return recorded
        }
        return record
    }

    /// The metadata at hand, else by discovery: the OpenID document, and where there is none the one of RFC 8414.
    ///
    /// When they are due and the provider is out of reach, those at hand serve on; a new document that breaks the
    /// protocol is an error, and never a reason to trust the old one.
    ///
    /// `isFresh` does not take what a stored session remembered: for a new consent, so that a provider that has moved its
    /// endpoints is found again.
    func metadata(isFresh: Bool = false) async throws -> ServerMetadata {
        let known = self.state.withLock { isFresh && $0.known?.isRemembered == true ? nil : $0.known }
        if let known, self.runtime.uptime() < known.dueAt { return known.metadata }
        do {
            return try await self.flight.run { try await self.discovered() }
        } catch let error as any ErrorGuidance where error.isRetryable {
            guard let known else { throw error }
            let dueAt = self.runtime.uptime() + Self.cooldown * Self.second
            self.state.withLock { state in
                if let present = state.known, present.dueAt < dueAt { state.known?.dueAt = dueAt }
            }
            return known.metadata
        }
    }

    /// What somebody has found out meanwhile, or what the provider says now.
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
            self.state.withLock { $0.failure = (error, uptime + Self.cooldown * Self.second) }
            throw error
        }
    }

    /// The metadata for a token that anyone may have sent.
    ///
    /// A discovery that failed is repeated after a cooldown only, so that many such tokens are not many requests.
    func metadataForReceivedToken() async throws -> ServerMetadata {
        let (known, failure) = self.state.withLock { ($0.known, $0.failure) }
        if known == nil, let failure, self.runtime.uptime() < failure.until { throw failure.error }
        return try await self.metadata()
    }

    /// Takes metadata that a stored session brought; what is known already stays.
    func remember(_ metadata: ServerMetadata?) {
        guard let metadata else { return }
        let dueAt = self.runtime.uptime() + Self.lifetime * Self.second
        self.state.withLock { state in
            guard state.known == nil else { return }
            state.known = Known(metadata: metadata, isRemembered: true, dueAt: dueAt)
        }
    }

    /// The provider with its metadata, as a session stores it.
    func resolvedProvider() async throws -> Provider {
        var provider = self.provider
        provider.metadata = try await self.metadata()
        return provider
    }

    /// The program at this provider, for requests to its endpoints; with a key, for tokens that are bound to it.
    func registeredClient(dpopKey: DPoPKey? = nil) async throws -> RegisteredClient {
        RegisteredClient(
            self.provider.client,
            metadata: try await self.metadata(),
            runtime: self.runtime,
            dpop: dpopKey.map { self.prover($0) },
            insecure: self.provider.insecure
        )
    }

    /// A new key, where the provider's policy wants tokens bound to one; nil where it does not.
    ///
    /// - Throws: `dpopAlgorithm` where a key is required and the provider does not say that it takes proofs by its
    ///   algorithm.
    func newDPoPKey() async throws -> DPoPKey? {
        guard self.provider.dpop != .never else { return nil }
        let supported = try await self.metadata().dpopSigningAlgValuesSupported
        let key = try DPoPKey.generate()
        guard self.provider.dpop == .whenSupported else {
            // RFC 9449, section 5.1: by this member a provider says that it takes proofs at all. Without it nobody is
            // asked for what would be bearer tokens in the end, unless those are permitted.
            let isBearerPermitted = self.provider.insecure.contains(.bearerInsteadOfDPoP)
            try key.checkAlgorithm(supported: isBearerPermitted ? supported : supported ?? [])
            return key
        }
        return supported?.contains(key.algorithm.rawValue) == true ? key : nil
    }

    /// Proves the possession of a session's key, to the provider and to resources.
    func prover(_ key: DPoPKey) -> DPoPProver { DPoPProver(key, nonces: self.nonces, runtime: self.runtime) }

    /// Validates a token of the provider's with its keys, by a clock that is `clockSkew` seconds behind the one here.
    func validate<Policy: TokenPolicy>(
        _ token: Secret,
        policy: Policy,
        clockSkew: Int64 = 0
    ) async throws -> Policy.Token {
        try await self.keySet().validate(token, policy: policy, clockSkew: clockSkew)
    }

    /// Validates the ID token of a token response.
    ///
    /// - Parameters:
    ///   - idToken: The token.
    ///   - accessToken: The access token of the same response.
    ///   - nonce: What its nonce has to be, unless it follows another ID token.
    ///   - previous: The ID token that it replaces in a refresh, which has to be of the same sign-in.
    ///   - clockSkew: How far the provider's clock is behind the one here, in seconds.
    /// - Returns: The token.
    /// - Throws: `ProtocolViolationError`, and what fetching metadata and keys throws.
    /// - SeeAlso: [OpenID Connect Core 1.0, section 12.2](https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokenResponse)
    package func validate(
        _ idToken: Secret,
        beside accessToken: Secret,
        nonce: IDTokenPolicy.NonceRule = .absent,
        after previous: IDTokenClaims?,
        clockSkew: Int64 = 0
    ) async throws -> ValidatedIDToken {
        // The policy takes the algorithms of the metadata.
        _ = try await self.metadata()
        let nonce = previous.map { .absentOrEqual($0.nonce.map { Secret($0) }) } ?? nonce
        var policy = self.idTokenPolicy(nonce: nonce, accessToken: accessToken)
        policy.otherAudiences = previous?.audience ?? []
        policy.otherAuthorizedParties = previous?.authorizedParty.map { [$0] } ?? []
        let validated = try await self.validate(idToken, policy: policy, clockSkew: clockSkew)
        if let previous { try validated.checkContinuity(from: previous) }
        return validated
    }

    /// Receives the response to an authorization.
    func receive(
        _ response: DeliveredResponse,
        for pending: PendingAuthorization
    ) async throws -> AuthorizationResponse {
        try await pending.receive(response, issuerAliases: self.provider.issuerAliases) { try await self.keySet() }
    }

    /// Returns what the provider says about the user of these tokens; a signed response is verified.
    ///
    /// It has to be about `subject`, unless that is nil.
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

    /// Reads each response whole, within the limits of an exchange with the provider.
    private struct BoundedTransport: HTTPTransport {
        let runtime: OAuthRuntime

        func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            let (response, bytes) = try await self.runtime.exchange(OAuthMessage(request))
            return (response, HTTPBody(bytes))
        }
    }

    /// The keys that the provider signs with.
    package func keySet() async throws -> KeySetCache {
        let endpoint = try await self.metadata().require(\.jwksURI, "jwks_uri")
        return self.state.withLock { state in
            // Another address has other keys; the same keeps its own, and their cooldown.
            if let known = state.keySet, known.endpoint == endpoint { return known.cache }
            let cache = KeySetCache(endpoint, runtime: self.runtime)
            state.keySet = (endpoint, cache)
            return cache
        }
    }

    /// The policy for this provider's ID tokens; the caller adds what belongs to its own request.
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
