// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraOAuth

extension OAuthSession {
    /// A refresh request that was sent or is about to be sent.
    struct SentRefresh: Sendable {
        enum Purpose: Sendable {
            /// Obtains new tokens for the session.
            case renewal(RefreshReason)
            /// Obtains a token for the given scopes. The session's own access token remains unchanged.
            case narrowing([Scope])
        }

        let purpose: Purpose
        let refreshToken: Secret
        /// The record before the refresh.
        var base: SessionRecord
        /// The tokens before the refresh.
        let tokens: TokenSet
        /// The time at the beginning of the refresh.
        let time: RequestTime
        var begunAt: Date { self.time.date }
        /// The mark that is saved before the request is sent.
        var mark: RefreshMark { RefreshMark(begunAt: self.begunAt, generation: self.base.generation) }

        var scopes: [Scope] {
            switch self.purpose {
            case .renewal: []
            case .narrowing(let scopes): scopes
            }
        }

        /// The mark of a refresh that another process has begun with the same refresh token in the meantime.
        var laterMark: RefreshMark?
        /// The mark of a refresh that another process has begun with the response's refresh token in the meantime.
        var nextMark: RefreshMark?

        /// Returns the mark of another process that has begun a refresh in the meantime, or nil.
        func laterMark(in stored: SessionRecord) -> RefreshMark? {
            stored.refreshMark.flatMap { $0.isSame(as: self.mark) || $0 == self.base.refreshMark ? nil : $0 }
        }

        /// Returns the mark of another refresh whose result is unknown: a later or an earlier one.
        func otherMark(in stored: SessionRecord) -> RefreshMark? {
            self.laterMark(in: stored) ?? self.base.refreshMark
        }
    }

    /// Sends a refresh request.
    ///
    /// The refresh mark is saved before the request is sent. It remains if the provider may have used the refresh
    /// token.
    ///
    /// - Throws: ``LockReleasedError`` if the activity's time expires before the response arrives, or
    ///   ``RefreshPostponedError`` if it expires before the request is sent.
    func send(
        _ refresh: SentRefresh,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> TokenResponse {
        let base = refresh.base
        let client = try await self.client(for: base, time)
        let tokenEndpoint = try client.endpoint(\.tokenEndpoint, "token_endpoint")
        if time.isOver { throw RefreshPostponedError() }
        try await entry.mark(refresh.mark)
        var request = TokenRequest.refresh(refresh.refreshToken, scopes: refresh.scopes, at: tokenEndpoint)
        request.resources = base.resources
        if let audience = base.tokens.flatMap({ self.foreignAudience(of: $0) }) {
            request.additionalParameters["audience"] = audience
        }
        do {
            return try await time.run { [request] in
                // The time may have run out before this task started, and then another process can take the lock.
                if time.isOver { throw RefreshPostponedError() }
                return try await client.send(request)
            }
        } catch let refusal as OAuthError where refusal.code == .invalidGrant && !refusal.isTransient {
            throw refusal
        } catch let unfinished as ActivityTime.Unfinished<TokenResponse> {
            throw self.released(refresh, awaiting: unfinished.task)
        } catch {
            // Unless the error proves that the refresh token was not used, the mark remains. The mark of an earlier
            // refresh is restored, because the result of that refresh is still unknown.
            if Self.leavesRefreshToken(error) { try? await entry.mark(base.refreshMark) }
            throw error
        }
    }

    /// Returns the registered client, after fetching the provider's metadata if necessary.
    private func client(for base: SessionRecord, _ time: ActivityTime) async throws -> RegisteredClient {
        do {
            return try await time.run { try await self.connection.registeredClient(dpopKey: base.dpopKey) }
        } catch is ActivityTime.Unfinished<RegisteredClient> {
            // No refresh token was sent, and a later call finds the metadata in the cache.
            throw RefreshPostponedError()
        }
    }

    /// Saves the tokens of a response.
    ///
    /// `check` is the result if the response's ID token has already been checked.
    func accept(
        _ response: TokenResponse,
        _ refresh: SentRefresh,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime,
        check: IDTokenCheck? = nil
    ) async throws -> RefreshResult {
        let record = try await self.save(self.renewed(refresh, by: response), refresh, response, check, entry, time)
        let event = self.event(of: refresh, record, isOwn: true)
        let current = self.received(record, refresh)
        return RefreshResult(record: record, event: event, response: response, request: refresh, current: current)
    }

    /// Returns the access token that a refresh has obtained, with deadlines in monotonic time since its beginning.
    ///
    /// The wall clock may have been set back while the response was awaited. Returns nil if the record has another
    /// access token.
    func received(_ record: SessionRecord, _ refresh: SentRefresh) -> CurrentToken<AccessToken>? {
        guard case .renewal = refresh.purpose else { return nil }
        return CurrentToken(record, self.connection, now: refresh.time.now(self.connection.runtime))
    }

    /// Returns the event for a record at the end of a refresh, or nil if the session's tokens have not changed.
    func event(of refresh: SentRefresh, _ record: SessionRecord, isOwn: Bool) -> SessionEvent? {
        switch refresh.purpose {
        case .renewal: isOwn ? .refreshed : .adopted
        case .narrowing: record.tokens?.accessToken == self.record.tokens?.accessToken ? nil : .adopted
        }
    }

    /// Returns the record with the tokens of a response and the previous ID token.
    func renewed(_ refresh: SentRefresh, by response: TokenResponse) -> SessionRecord {
        var next = refresh.base
        switch refresh.purpose {
        case .renewal:
            next = Self.next(refresh.base, refresh.tokens, response, obtainedAt: refresh.begunAt)
            next.history.clockSkew = self.skew(response, sentAt: refresh.begunAt) ?? next.history.clockSkew
        case .narrowing:
            next.count(response, at: refresh.begunAt)
            next.tokens?.refreshToken = response.refreshToken ?? refresh.refreshToken
        }
        // Another process's refresh can still replace the new refresh token, or one that this refresh has not replaced.
        let isReplaced = next.tokens?.refreshToken != refresh.refreshToken
        next.refreshMark = refresh.nextMark ?? (isReplaced ? nil : refresh.laterMark)
        return next
    }

    /// Returns the record to save before the response's ID token is checked, with an access token that is already
    /// expired.
    static func unchecked(_ next: SessionRecord, _ response: TokenResponse) -> SessionRecord {
        guard response.idToken != nil else { return next }
        var unchecked = next
        unchecked.tokens?.lifetime = 0
        return unchecked
    }

    /// Checks the response's ID token, and saves the refreshed record before it is published.
    ///
    /// - Throws: ``LockReleasedError`` if the activity's time expires before the ID token is checked.
    private func save(
        _ renewed: SessionRecord,
        _ refresh: SentRefresh,
        _ response: TokenResponse,
        _ known: IDTokenCheck?,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> SessionRecord {
        var next = renewed
        let check: IDTokenCheck
        if let known { check = known } else { check = try await self.check(next, refresh, response, entry, time) }
        switch check {
        case .passed(let idToken): next.tokens?.idToken = idToken
        case .unknown: break
        case .failed(let violation):
            if let end = Self.end(by: violation) { throw try await self.close(refresh.base, end, entry) }
            next.tokens?.lifetime = 0
        }
        try await self.save(next, refresh, entry, self.received(next, refresh))
        if case .failed(let violation) = check { throw violation }
        return next
    }

    /// Checks the ID token of a response, after fetching the provider's keys if necessary.
    ///
    /// A new refresh token is saved beforehand. If the activity's time expires first, the tokens are still saved and
    /// the lock is released.
    private func check(
        _ next: SessionRecord,
        _ refresh: SentRefresh,
        _ response: TokenResponse,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> IDTokenCheck {
        guard let idToken = response.idToken else { return .unknown }
        let unchecked = Self.unchecked(next, response)
        var isSaved = false
        if response.refreshToken != nil {
            // If the store fails here, the save after the check reports the error.
            do {
                try await entry.save(unchecked)
                isSaved = true
            } catch {}
        }
        do {
            return try await time.run { await self.check(idToken, of: response, to: refresh) }
        } catch let unfinished as ActivityTime.Unfinished<IDTokenCheck> {
            // If this save fails, the next step or the next call saves the tokens.
            if !isSaved { try? await self.save(unchecked, refresh, entry, self.received(unchecked, refresh)) }
            throw self.release {
                let check = (try? await unfinished.task.value) ?? .unknown
                return { entry, time in
                    try await self.finish(refresh, .success(response), check, entry, time)
                }
            }
        }
    }

    /// Saves a record, and retains it in memory if the store fails, so that the next call can save it.
    ///
    /// `current` is its access token if the deadlines are already known.
    func save(
        _ next: SessionRecord,
        _ refresh: SentRefresh,
        _ entry: SessionStoreEntry,
        _ current: CurrentToken<AccessToken>? = nil
    ) async throws {
        self.retain(next, refresh, current)
        try await entry.save(next)
        self.connection.unsaved[self.account] = nil
    }

    /// Returns whether an error proves that the refresh token was not used, because it was rejected or never received.
    static func leavesRefreshToken(_ error: any Error) -> Bool {
        error is OAuthError || error is InvalidRequestError || error is RefreshPostponedError
            || (error as? TransportError)?.nothingWasSent == true
    }
}
