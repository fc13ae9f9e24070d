// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraOAuth

/// One person's access to one provider: gives fresh tokens, keeps them saved, knows what was granted.
///
/// Made by ``SignIn``; one per account and process. Any number of tasks may use it at once. A fresh token is given
/// without suspension; a stale one is refreshed once however many callers wait, and saved before anyone sees it.
public final class OAuthSession: AccessTokenSource, Sendable {
    struct State {
        var record: SessionRecord
        /// Tokens that came and could not be saved: saved first by the next call, used by nobody before.
        var unsaved: SessionRecord? {
            get { if case .set(let record) = self.kept { record } else { nil } }
            set { self.kept = newValue.map { .set($0) } ?? .nothing }
        }
        private var kept = Unsaved.nothing
        var ended: SessionEnded?
        /// When the provider gave the present tokens in a refresh, by the clock that never jumps.
        var refreshedAt: Int64?
        /// When the next refresh in the background may be tried.
        var backgroundFrom: Int64 = .min
        var backgroundDelay: Int64 = 0

        init(record: SessionRecord) { self.record = record }
    }

    /// Behind a reference: nearly no session ever has one, and each would pay for its room.
    private indirect enum Unsaved {
        case nothing
        case set(SessionRecord)
    }

    /// Whose session it is.
    public let account: Account
    let connection: ProviderConnection
    let store: any SessionStore
    let flight = SingleFlight<AccessToken>()
    let eventHub = SessionEvents()
    let state: Mutex<State>
    /// What the hot path reads; nil once the session has ended.
    let current: Mutex<CurrentToken?>
    private let coarseUptime: @Sendable () -> Int64

    init(_ record: SessionRecord, connection: ProviderConnection, store: any SessionStore) {
        self.account = record.account
        self.connection = connection
        self.store = store
        self.coarseUptime = connection.runtime.coarseUptime
        self.state = Mutex(State(record: connection.sharing(record)))
        self.current = Mutex(CurrentToken(record, connection))
    }

    /// A token that is valid now: at once while it is fresh; after one refresh, shared by all callers, when it is not.
    ///
    /// - Throws: ``SessionEnded`` when a person has to sign in again; `TransportError`, `HTTPStatusError`,
    ///   `OAuthError` for a refresh that failed while the session lives on; ``StoreError`` when the new tokens could
    ///   not be saved (they are kept, and saved first by the next call); `CancellationError`.
    public func accessToken() async throws -> AccessToken {
        let uptime = self.coarseUptime()
        let (token, isDue) = self.current.withLock { current -> (AccessToken?, Bool) in
            guard let current, uptime < current.expiredAt else { return (nil, false) }
            return (current.token, uptime >= current.dueAt)
        }
        guard let token else { return try await self.flight.run { try await self.refresh(.expired) } }
        if isDue { self.refreshInBackground(uptime) }
        return token
    }

    /// A token that is valid for at least `validity`, or a new one when its whole lifetime is shorter.
    ///
    /// - Throws: as ``accessToken()``.
    public func accessToken(validFor validity: Duration) async throws -> AccessToken {
        let limit = self.connection.runtime.uptime() &+ validity.nanoseconds
        let token = try await self.accessToken()
        guard let expiredAt = self.current.withLock({ $0?.expiredAt }), expiredAt < limit else { return token }
        return try await self.replacement(of: token)
    }

    /// Another token in place of one that was refused, at the cost of one refresh at most; see ``AccessTokenSource/refused(_:)``.
    ///
    /// - Throws: as ``accessToken()``.
    public func refused(_ token: AccessToken) async throws -> AccessToken {
        // What a refresh brought a moment ago is not mended by the next one: an API that refuses for ever would cost a
        // refresh for each call.
        let refreshedAt = self.state.withLock { $0.refreshedAt }
        if let refreshedAt, self.coarseUptime() - refreshedAt < 10_000_000_000,
            self.current.withLock({ $0?.token }) == token
        {
            return token
        }
        return try await self.replacement(of: token)
    }

    private func replacement(of token: AccessToken) async throws -> AccessToken {
        // A flight that was under way may have found the refused token still good; then this asks for itself.
        for _ in 0..<2 {
            if let newer = self.current.withLock({ $0?.token }), newer != token { return try await self.accessToken() }
            let known = self.record.generation
            let result = try await self.flight.run { try await self.refresh(.refused(token)) }
            if result != token || self.record.generation != known { return result }
        }
        return token
    }

    /// Refreshes now, whatever the present token's age, and returns the new token.
    ///
    /// - Throws: as ``accessToken()``.
    @discardableResult
    public func refresh() async throws -> AccessToken {
        guard let token = self.current.withLock({ $0?.token }) else { return try await self.accessToken() }
        return try await self.replacement(of: token)
    }

    /// What happens to the session from now on, in a stream of the caller's own; the newest 16 events are kept.
    public func events() -> AsyncStream<SessionEvent> { self.eventHub.stream() }

    /// Waits for a refresh that is under way, if there is one: before a process exits, so that nothing is lost.
    public func settle() async {
        await self.flight.wait()
    }
}

extension OAuthSession: CustomStringConvertible {
    /// Names the provider and nobody.
    public var description: String { "session at \(self.account.issuer)" }
}
