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

/// One person's access to one provider: gives fresh tokens, keeps them saved, knows what was granted.
///
/// Made by ``SignIn``; one per account and process. Any number of tasks may use it at once. A fresh token is given
/// without suspension; a stale one is refreshed once however many callers wait, and saved before anyone sees it.
public final class OAuthSession: AccessTokenSource, Sendable {
    struct State {
        var record: SessionRecord
        /// Tokens that came and could not be saved: saved first by the next call, used by nobody before.
        var unsaved: SessionRecord? {
            get { self.unsavedRecord.value }
            set { self.unsavedRecord.value = newValue }
        }
        var ended: SessionEndedError? {
            get { self.end.value }
            set { self.end.value = newValue }
        }
        private var unsavedRecord = Boxed<SessionRecord>()
        private var end = Boxed<SessionEndedError>()

        init(record: SessionRecord) { self.record = record }
    }

    /// Whose session it is.
    public let account: Account
    let connection: ProviderConnection
    let store: any SessionStore
    let eventHub = SessionEvents()
    let state: Mutex<State>
    /// What the hot path reads; empty once the session has ended.
    let cache: TokenCache<AccessToken>

    init(_ record: SessionRecord, connection: ProviderConnection, store: any SessionStore) {
        self.account = record.account
        self.connection = connection
        self.store = store
        self.state = Mutex(State(record: connection.sharing(record)))
        self.cache = TokenCache(CurrentToken(record, connection), clock: connection.tokenClock)
    }

    /// A token that is valid now: at once while it is fresh; after one refresh, shared by all callers, when it is not.
    ///
    /// - Throws: ``SessionEndedError`` when a person has to sign in again; `TransportError`, `HTTPStatusError`,
    ///   `OAuthError` for a refresh that failed while the session lives on; ``StoreError`` when the new tokens could
    ///   not be saved (they are kept, and saved first by the next call); `CancellationError`.
    public func accessToken() async throws -> AccessToken {
        if let token = self.cache.fresh { return token }
        return try await self.cache.token(self.refresh)
    }

    /// A token that is valid for at least `validity`, or a new one when its whole lifetime is shorter.
    ///
    /// - Throws: as ``accessToken()``.
    public func accessToken(validFor validity: Duration) async throws -> AccessToken {
        try await self.cache.token(validFor: validity, self.refresh)
    }

    /// Another token in place of one that was refused, at the cost of one refresh at most; see ``AccessTokenSource/refused(_:)``.
    ///
    /// - Throws: as ``accessToken()``.
    public func refused(_ token: AccessToken) async throws -> AccessToken {
        try await self.cache.refused(token, self.refresh)
    }

    /// Refreshes now, whatever the present token's age, and returns the new token.
    ///
    /// - Throws: as ``accessToken()``.
    @discardableResult
    public func refresh() async throws -> AccessToken {
        guard let token = self.cache.current?.token else { return try await self.accessToken() }
        return try await self.cache.replacement(of: token, self.refresh)
    }

    /// What happens to the session from now on, in a stream of the caller's own; the newest 16 events are kept.
    public func events() -> AsyncStream<SessionEvent> { self.eventHub.stream() }

    /// Waits for a refresh that is under way, if there is one: before a process exits, so that nothing is lost.
    public func settle() async {
        await self.cache.settle()
    }
}

extension OAuthSession: CustomStringConvertible {
    /// Names the provider and nobody.
    public var description: String { "session at \(self.account.issuer)" }
}

extension OAuthSession {
    /// The whole record as it is now, tokens included.
    public var record: SessionRecord { self.state.withLock { $0.record } }

    /// What was asked for, what was granted, what is missing.
    public var grant: Grant { self.state.withLock { $0.record.grant } }

    /// The scopes that were really granted.
    public var grantedScopes: [Scope] { self.grant.granted }

    /// What the provider said about the person.
    public var identity: Identity { self.state.withLock { $0.record.identity } }

    /// The provider.
    public var provider: Provider { self.state.withLock { $0.record.provider } }

    /// Where the session's tokens may be sent.
    public var authorizedOrigins: [OriginPattern] { self.state.withLock { $0.record.authorizedOrigins } }

    /// The newest ID token that came with the refresh token; its signature and claims were checked when it came.
    public var idToken: Secret? { self.state.withLock { $0.record.tokens?.idToken } }

    /// When the present access token ends, nil where the provider does not say.
    public var expiresAt: Date? { self.state.withLock { $0.record.tokens?.expiresAt } }

    /// Why the session ended, nil while it lives.
    public var ended: SessionEndedError? { self.state.withLock { $0.ended } }

    /// Requests the user information from the provider; a signed response is verified.
    ///
    /// - Throws: `missingMetadata` without a userinfo endpoint; `BearerChallengeError` if the token is refused twice;
    ///   `userInfoSubject` if the response is about another user; `jwt…` and `jws…` for a signed response that must not be
    ///   trusted; the errors of ``accessToken()``.
    public func userInfo() async throws -> JSONValue {
        try await self.connection.userInfo(of: self, subject: self.idToken == nil ? nil : self.account.subject)
    }
}

extension OAuthSession {
    /// What explains an error of this session's, or what is about to end it: from its history, and nothing is asked.
    ///
    /// - Parameter error: what a call threw; nil looks ahead.
    /// - Returns: the findings, the likeliest first; none where all is well or nothing is known.
    public func findings(after error: (any Error)? = nil) -> [Finding] {
        self.diagnosis(of: self.record, after: error).findings
    }

    func diagnosis(of record: SessionRecord, after error: (any Error)?) -> Diagnosis {
        let rules = self.connection.provider.grantRules
        return Diagnosis(of: record, after: error, rules: rules, now: self.connection.runtime.now())
    }
}

extension OAuthSession {
    /// The network that the session's sign-in was given.
    public var transport: any HTTPTransport { self.connection.runtime.transport }
    /// The world of the session's sign-in.
    package var runtime: OAuthRuntime { self.connection.runtime }
}

extension OAuthSession {
    /// Shows saved tokens to everybody; unless the session ended meanwhile, which nothing resurrects.
    func publish(_ result: RefreshResult) throws -> AccessToken {
        guard let current = CurrentToken(result.record, self.connection) else { throw SessionEndedError(.other) }
        let record = self.connection.sharing(result.record)
        try self.state.withLock { state in
            if let ended = state.ended { throw ended }
            let grantChanged = state.record.grant.granted != result.record.grant.granted
            state.record = record
            let isRefreshed = if case .refreshed = result.event { true } else { false }
            self.cache.publish(current, isReplacement: isRefreshed)
            // Events are sent under this lock, so that they come in the order in which things happened.
            if let event = result.event { self.eventHub.send(event) }
            if grantChanged { self.eventHub.send(.grantChanged(result.record.grant)) }
        }
        return current.token
    }

    /// Makes claims required, which the stored record requires already.
    func require(_ claims: [String: String]) {
        guard !claims.isEmpty else { return }
        self.state.withLock { $0.record.requiredClaims.merge(claims) { $1 } }
    }

    /// A new consent for the same account took effect: the session goes on with it, also after an end.
    func replace(_ record: SessionRecord) {
        let record = self.connection.sharing(record)
        let current = CurrentToken(record, self.connection)
        self.state.withLock { state in
            state = State(record: record)
            self.cache.publish(current)
            self.eventHub.reopen()
            self.eventHub.send(.grantChanged(record.grant))
        }
    }

    /// The end, said once.
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
