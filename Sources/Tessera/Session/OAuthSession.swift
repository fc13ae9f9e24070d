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
        var ended: SessionEndedError?

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
    let eventHub = SessionEvents()
    let state: Mutex<State>
    /// What the hot path reads; empty once the session has ended.
    let cache: TokenCache<AccessToken>

    init(_ record: SessionRecord, connection: ProviderConnection, store: any SessionStore) {
        self.account = record.account
        self.connection = connection
        self.store = store
        self.state = Mutex(State(record: connection.sharing(record)))
        self.cache = TokenCache(CurrentToken(record, connection), runtime: connection.runtime)
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
