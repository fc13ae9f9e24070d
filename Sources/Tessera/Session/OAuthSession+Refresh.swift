// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraOAuth

extension OAuthSession {
    typealias RefreshReason = TokenCache<AccessToken>.Reason

    /// Obtains new tokens from another process or the provider, saves them, and then publishes them.
    ///
    /// At most one such operation runs at a time.
    func refresh(_ reason: RefreshReason) async throws -> AccessToken {
        if let ended = self.ended { throw ended }
        do {
            return try await self.inSteps { entry, time in try await self.renew(entry, reason, time) }.token
        } catch let ended as SessionEndedError {
            throw ended
        } catch {
            self.eventHub.send(.refreshFailed(error))
            throw error
        }
    }

    /// Runs a step and publishes its result while the account is still locked.
    ///
    /// A consent or a sign-out that acquires the lock next therefore takes effect after this step in memory, too.
    func pass(_ step: () async throws -> RefreshResult) async throws -> PublishedResult {
        do {
            let result = try await step()
            return (try self.publish(result), result)
        } catch let ended as SessionEndedError {
            self.end(ended)
            throw ended
        }
    }

    /// The result of a refresh.
    struct RefreshResult: Sendable {
        let record: SessionRecord
        /// The event to send, or nil if nothing changed.
        let event: SessionEvent?
        /// The provider's response, or nil if no request was sent.
        var response: TokenResponse?
        /// The request that caused the response.
        var request: SentRefresh?
        /// The access token with deadlines that are already known, or nil to derive them from the record.
        var current: CurrentToken<AccessToken>?
    }

    /// Uses tokens that another process obtained, or refreshes them.
    ///
    /// The account must be locked. Tokens that could not be saved earlier are saved first.
    func renew(
        _ entry: SessionStoreEntry,
        _ reason: RefreshReason,
        _ time: ActivityTime
    ) async throws -> RefreshResult {
        let opened = try await self.open(entry)
        if self.cache.serves(opened.current, reason) {
            let event: SessionEvent? = self.isOther(opened.tokens) ? .adopted : nil
            return RefreshResult(record: opened.record, event: event, current: opened.current)
        }
        return try await self.refresh(opened, reason, entry, time)
    }

    /// Returns whether tokens include another access token than the published record.
    ///
    /// An access token with a different lifetime is also another one, because its ID token has since been validated.
    private func isOther(_ tokens: TokenSet) -> Bool {
        let own = self.record.tokens
        return tokens.accessToken != own?.accessToken || tokens.lifetime != own?.lifetime
    }

    /// A session's record at the beginning of a step.
    struct LoadedRecord {
        let record: SessionRecord
        let tokens: TokenSet
        let current: CurrentToken<AccessToken>
    }

    /// Loads the newest record, and saves and publishes tokens that could not be saved earlier.
    ///
    /// If they were not published, the session would forget their deadlines in monotonic time. Tokens whose ID token has
    /// not been checked do not replace the published ones.
    func open(_ entry: SessionStoreEntry) async throws -> LoadedRecord {
        guard let stored = try await entry.load() else { throw SessionEndedError(.signedOut) }
        let base = self.connection.newest(stored)
        // A save that failed may have taken effect.
        let unsaved = self.connection.unsaved[self.account]?.record.tokens?.accessToken
        let current = self.currentToken(base)
        if base != stored { try await entry.save(base) }
        self.connection.unsaved[self.account] = nil
        guard let tokens = base.tokens else { throw self.ending(base) }
        guard let current else {
            throw try await self.close(base, SessionEndedError(.keyLost), entry)
        }
        if tokens.accessToken == unsaved, tokens.lifetime != 0 {
            let event: SessionEvent? = self.isOther(tokens) ? .refreshed : nil
            _ = try? self.publish(RefreshResult(record: base, event: event, current: current))
        }
        return LoadedRecord(record: base, tokens: tokens, current: current)
    }

    /// Returns whether a session ended because the provider rejected a refresh token that a refreshed record has
    /// replaced.
    ///
    /// Closing a record increments its generation, as the refresh with the same refresh token did.
    static func wasRefused(_ stored: SessionRecord, before refreshed: SessionRecord) -> Bool {
        stored.tokens == nil && refreshed.generation >= stored.generation
            && [.refused, .interrupted].contains(SessionEndedError.Code.named(stored.history.endReason))
    }

    private func refresh(
        _ opened: LoadedRecord,
        _ reason: RefreshReason,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> RefreshResult {
        let base = opened.record
        guard let refreshToken = opened.tokens.refreshToken else {
            // The access token cannot be refreshed, so it is used until it expires.
            if self.cache.serves(opened.current, .expired) {
                return RefreshResult(record: base, event: nil)
            }
            throw try await self.close(base, SessionEndedError(.expired), entry)
        }
        let refresh = SentRefresh(
            purpose: .renewal(reason),
            refreshToken: refreshToken,
            base: base,
            tokens: opened.tokens,
            time: RequestTime(self.connection.runtime)
        )
        let response: TokenResponse
        do {
            response = try await self.send(refresh, entry, time)
        } catch let refusal as OAuthError where refusal.code == .invalidGrant && !refusal.isTransient {
            return try await self.afterRefusal(refusal, refresh, entry, time)
        }
        return try await self.accept(response, refresh, entry, time)
    }

    /// Handles `invalid_grant` by using newer tokens from the store, if there are any, or by closing the session.
    ///
    /// Another process may have refreshed without holding the lock. If its access token cannot be used, for example
    /// because its ID token has not been checked yet, its refresh token is used. If it has ended the session, its reason
    /// remains.
    func afterRefusal(
        _ refusal: OAuthError,
        _ refresh: SentRefresh,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> RefreshResult {
        guard let stored = try await entry.load() else { throw SessionEndedError(.signedOut) }
        if stored.tokens?.refreshToken != refresh.refreshToken {
            return try await self.follow(stored, refresh, nil, entry, time)
        }
        let base = refresh.base
        var refused = base
        refused.history.clockSkew = self.skew(refusal.serverDate, sentAt: refresh.begunAt) ?? base.history.clockSkew
        let isInterrupted = refresh.otherMark(in: stored) != nil
        let end = SessionEndedError(isInterrupted ? .interrupted : .refused, cause: refusal)
        let findings = self.diagnosis(of: refused, after: end).findings
        throw try await self.close(refused, SessionEndedError(end.code, cause: refusal, findings: findings), entry)
    }

    /// Returns the error that describes why a record's session ended.
    func ending(_ record: SessionRecord) -> SessionEndedError {
        let policy = self.connection.provider.refreshTokenPolicy
        return SessionEndedError(of: record, policy: policy, now: self.connection.runtime.now())
    }

    /// Returns the difference between this computer's clock and the provider's, or nil if there is no server date.
    func skew(_ serverDate: Date?, sentAt: Date) -> Int64? {
        serverDate.map {
            ClockSkew.seconds(serverDate: $0, sentAt: sentAt, receivedAt: self.connection.runtime.now())
        }
    }

    /// Returns the difference between this computer's clock and the provider's, or nil if the response does not reveal
    /// it.
    ///
    /// If a response has no `Date` field, the time at which its ID token was issued is used, provided that it is at
    /// most one day in the future.
    func skew(_ response: TokenResponse, sentAt: Date) -> Int64? {
        if let serverDate = response.serverDate { return self.skew(serverDate, sentAt: sentAt) }
        let claims = response.idToken.flatMap { try? IDTokenClaims(unverified: $0) }
        guard let issuedAt = claims.map({ Date(timeIntervalSince1970: $0.issuedAt) }),
            case let skew = self.skew(issuedAt, sentAt: sentAt), let skew, (-86_400..<0).contains(skew)
        else { return nil }
        return skew
    }

    /// Returns the record with the response's tokens and the previous ID token.
    static func next(
        _ base: SessionRecord,
        _ tokens: TokenSet,
        _ response: TokenResponse,
        obtainedAt: Date
    ) -> SessionRecord {
        var next = base
        next.count(response, at: obtainedAt)
        next.tokens = TokenSet(
            accessToken: response.accessToken,
            tokenType: response.tokenType,
            obtainedAt: obtainedAt,
            lifetime: response.expiresIn,
            refreshToken: response.refreshToken ?? tokens.refreshToken,
            idToken: tokens.idToken
        )
        if let scope = response.scope {
            next.grantedScopes = GrantedScopes(
                requested: base.grantedScopes.requested,
                granted: scope,
                aliases: base.grantedScopes.aliases
            )
        }
        return next
    }

    /// Records the end of the session in the store.
    ///
    /// Other store errors are ignored, because the session has ended in any case.
    ///
    /// - Throws: ``StoreError`` with the code `leaseLost` if another process has held the account's lock in the
    ///   meantime. It may have obtained new tokens, so the session has not ended.
    func close(
        _ base: SessionRecord,
        _ end: SessionEndedError,
        _ entry: SessionStoreEntry
    ) async throws -> SessionEndedError {
        do {
            try await entry.save(base.closed(end, at: self.connection.runtime.now()))
        } catch let error as StoreError where error.code == .leaseLost {
            throw error
        } catch {}
        return end
    }
}

extension ProviderConnection {
    /// Returns the unsaved record if it is newer than the stored one, or the stored record otherwise.
    ///
    /// The unsaved record is used only if the user has not consented again and no other process has refreshed. It also
    /// replaces a record that another process closed because the provider rejected its refresh token, if the unsaved
    /// tokens had already replaced that refresh token. A session that ended for any other reason remains ended.
    ///
    /// A new consent may have retained a refresh token that the unsaved one had replaced.
    func newest(_ stored: SessionRecord) -> SessionRecord {
        guard let item = self.unsaved[stored.account] else { return stored }
        var unsaved = item.record
        guard unsaved.history.consentedAt == stored.history.consentedAt else {
            return stored.continued(by: unsaved, replacing: item.usedRefreshToken)
        }
        let isNewer =
            OAuthSession.wasRefused(stored, before: unsaved)
            || stored.tokens != nil && unsaved.generation > stored.generation
        // In the meantime, the account may have been selected, or claims may have been required.
        unsaved.history.selectedAt = stored.history.selectedAt
        unsaved.requiredClaims = stored.requiredClaims
        // Another process's refresh can still replace a refresh token that has not been replaced.
        if unsaved.tokens?.refreshToken == stored.tokens?.refreshToken, let mark = stored.refreshMark,
            !mark.isSame(as: item.mark)
        {
            unsaved.refreshMark = mark
        }
        return isNewer ? unsaved : stored
    }
}
