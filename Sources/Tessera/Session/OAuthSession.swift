// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraJOSE
public import TesseraJSON
public import TesseraOAuth
internal import TesseraSupport

/// A user's session at a provider, which returns valid access tokens and saves them.
///
/// ``SignIn`` creates one session per account and process. Sessions are safe to use from any number of tasks at once.
/// If the current access token is valid, it is returned without suspension. Otherwise it is refreshed once for all
/// waiting callers, and the new tokens are saved before they are returned.
public final class OAuthSession: AccessTokenSource, Sendable {
    struct State {
        var record: SessionRecord
        var ended: SessionEndedError? {
            get { self.end.value }
            set { self.end.value = newValue }
        }
        private var end = Boxed<SessionEndedError>()

        init(record: SessionRecord) { self.record = record }
    }

    /// The account of the session.
    public let account: Account
    let connection: ProviderConnection
    let store: any SessionStore
    let eventHub = SessionEvents()
    let state: Mutex<State>
    /// The current access token, which is read on every call and is empty after the session has ended.
    let cache: TokenCache<AccessToken>

    /// Creates a session whose access token was requested at a time, or is a stored one.
    init(
        _ record: SessionRecord,
        connection: ProviderConnection,
        store: any SessionStore,
        requestedAt time: RequestTime? = nil
    ) {
        self.account = record.account
        self.connection = connection
        self.store = store
        self.state = Mutex(State(record: connection.sharing(record)))
        let current = CurrentToken(record, connection, now: time?.now(connection.runtime))
        self.cache = TokenCache(current, clock: connection.tokenClock)
    }

    /// Returns a valid access token, refreshing it first if necessary.
    ///
    /// Concurrent callers share one refresh.
    ///
    /// - Throws: ``SessionEndedError`` if the user has to sign in again. Throws `TransportError`, `HTTPStatusError` or
    ///   `OAuthError` if the refresh fails but the session is still active, and ``StoreError`` if the new tokens could
    ///   not be saved. In that case, the tokens are retained in memory and the next call saves them first. Throws
    ///   `CancellationError` if the task is canceled.
    public func accessToken() async throws -> AccessToken {
        if let token = self.cache.fresh { return token }
        return try await self.cache.token(self.refresh)
    }

    /// Returns a token that is valid for at least `validity`, or a new token if its entire lifetime is shorter.
    ///
    /// - Throws: Any error that ``accessToken()`` throws.
    public func accessToken(validFor validity: Duration) async throws -> AccessToken {
        try await self.cache.token(validFor: validity, self.refresh)
    }

    /// Returns a replacement for a token that a server rejected, after at most one refresh.
    ///
    /// See ``AccessTokenSource/replacement(forRejected:)``.
    ///
    /// - Throws: Any error that ``accessToken()`` throws.
    public func replacement(forRejected token: AccessToken) async throws -> AccessToken {
        try await self.cache.replacement(forRejected: token, self.refresh)
    }

    /// Refreshes the access token even if it is still valid, and returns the new token.
    ///
    /// - Throws: Any error that ``accessToken()`` throws.
    @discardableResult
    public func refresh() async throws -> AccessToken {
        guard let token = self.cache.current?.token else { return try await self.accessToken() }
        return try await self.cache.replacement(of: token, self.refresh)
    }

    /// Returns a new stream of the session's events, which buffers the latest 16 events.
    ///
    /// The stream ends after ``SessionEvent/ended(_:)``, and when this object is released.
    public func events() -> AsyncStream<SessionEvent> { self.eventHub.stream() }

    /// Waits for a refresh in progress to complete, and saves tokens that could not be saved earlier.
    ///
    /// Call this method before the process exits, so that new tokens are saved. It waits and saves even if the current
    /// task is canceled. If the store fails again, the tokens are lost when the process exits.
    public func settle() async {
        await self.cache.settle(evenIfCanceled: true)
        await self.connection.lateRefreshes.settle(self.account)
        await self.saveUnsaved()
        // A canceled task does not wait for the account's lock.
        if Task.isCancelled { _ = await TaskExecutorInheritance.start { await self.saveUnsaved() }.result }
    }

    private func saveUnsaved() async {
        guard self.connection.unsaved[self.account] != nil else { return }
        _ = try? await self.connection.update(self.account, in: self.store) { entry, _ in
            _ = try await self.open(entry)
        }
    }

    /// Retains the record of a refresh until it is saved or no longer needed.
    func retain(_ record: SessionRecord, _ refresh: SentRefresh, _ current: CurrentToken<AccessToken>?) {
        self.connection.unsaved[self.account] = UnsavedTokens.Item(
            record: record,
            usedRefreshToken: refresh.refreshToken,
            mark: refresh.mark,
            current: current ?? CurrentToken(record, self.connection)
        )
    }
}

extension OAuthSession: CustomStringConvertible {
    /// A description that names the provider's issuer but not the user.
    public var description: String { "session at \(self.account.issuer)" }
}

extension OAuthSession {
    /// The current record of the session, including its tokens.
    public var record: SessionRecord { self.state.withLock { $0.record } }

    /// The requested, granted and missing scopes.
    public var grantedScopes: GrantedScopes { self.state.withLock { $0.record.grantedScopes } }

    /// The user's profile as reported by the provider.
    public var identity: Identity { self.state.withLock { $0.record.identity } }

    /// The provider as configured at the last sign-in.
    public var provider: Provider { self.state.withLock { $0.record.provider } }

    /// The origins that the session's tokens may be sent to.
    public var authorizedOrigins: [OriginPattern] { self.state.withLock { $0.record.authorizedOrigins } }

    /// The newest ID token, which was validated when it was received, or nil if there is none.
    public var idToken: Secret? { self.state.withLock { $0.record.tokens?.idToken } }

    /// The expiration time of the current access token, or nil if the provider did not report one.
    public var expiresAt: Date? { self.state.withLock { $0.record.tokens?.expiresAt } }

    /// The error that ended the session, or nil if the session is active.
    public var ended: SessionEndedError? { self.state.withLock { $0.ended } }

    /// Requests the user's claims from the userinfo endpoint, and verifies them if the response is signed.
    ///
    /// - Throws: `missingMetadata` if the provider has no userinfo endpoint, `BearerChallengeError` if the token is
    ///   rejected twice, `userInfoSubject` if the response describes another user, `jwt…` or `jws…` if a signed
    ///   response is not valid, or any error that ``accessToken()`` throws.
    public func userInfo() async throws -> JSONValue {
        let record = self.record
        return try await self.connection.userInfo(
            of: self,
            subject: record.tokens?.idToken == nil ? nil : record.providerSubject
        )
    }
}

extension OAuthSession {
    /// Returns findings that explain an error in this session or warn that it may end soon.
    ///
    /// The findings are based on the session's history. No request is sent.
    ///
    /// - Parameter error: The error that a call threw, or nil to check whether the session will end soon.
    /// - Returns: The findings, most likely first. Empty if there is no problem or the cause is unknown.
    public func findings(after error: (any Error)? = nil) -> [Finding] {
        self.diagnosis(of: self.record, after: error).findings
    }

    func diagnosis(of record: SessionRecord, after error: (any Error)?) -> Diagnosis {
        let policy = self.connection.provider.refreshTokenPolicy
        return Diagnosis(of: record, after: error, policy: policy, now: self.connection.runtime.now())
    }
}

extension OAuthSession {
    /// The HTTP transport that the session's sign-in uses.
    public var transport: any HTTPTransport { self.connection.runtime.transport }
    /// The runtime that the session's sign-in uses.
    package var runtime: OAuthRuntime { self.connection.runtime }
}

extension OAuthSession {
    /// Publishes saved tokens to all callers.
    ///
    /// - Throws: ``SessionEndedError`` if the session has ended in the meantime.
    func publish(_ result: RefreshResult) throws -> AccessToken {
        guard let current = result.current ?? self.currentToken(result.record) else { throw SessionEndedError(.other) }
        let record = self.connection.sharing(result.record)
        try self.state.withLock { state in
            if let ended = state.ended { throw ended }
            let scopesChanged = state.record.grantedScopes.granted != result.record.grantedScopes.granted
            state.record = record
            let isRefreshed = if case .refreshed = result.event { true } else { false }
            self.cache.publish(current, isReplacement: isRefreshed)
            // Sending events under this lock preserves their order.
            if let event = result.event { self.eventHub.send(event) }
            if scopesChanged { self.eventHub.send(.scopesChanged(result.record.grantedScopes)) }
        }
        return current.token
    }

    /// Returns a record's access token, or nil if the record has no token or lacks the key that the token is bound to.
    ///
    /// A token that the session already uses, or that could not be saved, keeps its deadlines in monotonic time.
    /// Otherwise, a wall clock that was set back would extend it.
    func currentToken(_ record: SessionRecord) -> CurrentToken<AccessToken>? {
        guard let current = CurrentToken(record, self.connection), let tokens = record.tokens else { return nil }
        let unsaved = self.connection.unsaved[self.account]
        let candidates = [(self.cache.current, self.record.tokens), (unsaved?.current, unsaved?.record.tokens)]
        for case (let known?, let own?) in candidates
        where known.token == current.token && own.lifetime == tokens.lifetime
            // Stores round times to milliseconds.
            && abs(own.obtainedAt.timeIntervalSince(tokens.obtainedAt)) <= 0.001
        {
            // The refresh token, without which a token is due only when it expires, may have changed.
            let dueAt = tokens.refreshToken == nil ? known.expiredAt : min(current.dueAt, known.dueAt)
            return CurrentToken(current.token, dueAt: dueAt, expiredAt: known.expiredAt)
        }
        return current
    }

    /// Adds required claims that the stored record already contains.
    func require(_ claims: [String: String]) {
        guard !claims.isEmpty else { return }
        self.state.withLock { $0.record.requiredClaims.merge(claims) { $1 } }
    }

    /// Continues the session with the record of a new consent, even if it had ended.
    func replace(_ record: SessionRecord, requestedAt time: RequestTime?) {
        self.replace(record, requestedAt: time) { _ in true }
    }

    /// Continues the session with a record from the store if it contains a newer consent, which another process
    /// obtained.
    func update(to stored: SessionRecord) {
        self.replace(stored, requestedAt: nil) { state in
            state.ended == nil && stored.history.consentedAt > state.record.history.consentedAt
        }
    }

    private func replace(_ record: SessionRecord, requestedAt time: RequestTime?, if condition: (State) -> Bool) {
        let record = self.connection.sharing(record)
        let current = CurrentToken(record, self.connection, now: time?.now(self.connection.runtime))
        self.state.withLock { state in
            guard condition(state) else { return }
            state = State(record: record)
            self.cache.publish(current)
            self.eventHub.reopen()
            self.eventHub.send(.scopesChanged(record.grantedScopes))
        }
    }

    /// Ends the session and sends the event, unless it has already ended.
    func end(_ end: SessionEndedError) {
        self.state.withLock { state in
            guard state.ended == nil else { return }
            state.ended = end
            state.record.tokens = nil
            self.cache.publish(nil)
            self.eventHub.send(.ended(end))
        }
    }
}
