// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraOAuth

extension OAuthSession {
    typealias RefreshReason = TokenCache<AccessToken>.Reason

    /// The one operation in flight: new tokens, from another process or from the provider, saved and then published.
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

    /// Published, or ended, while the account is still locked: a consent or a sign-out that has the lock next comes
    /// after this in memory too.
    func pass(_ step: () async throws -> RefreshResult) async throws -> (token: AccessToken, result: RefreshResult) {
        do {
            let result = try await step()
            return (try self.publish(result), result)
        } catch let ended as SessionEndedError {
            self.end(ended)
            throw ended
        }
    }

    /// What a pass through the store brought.
    struct RefreshResult: Sendable {
        let record: SessionRecord
        /// Nil when nothing new came.
        let event: SessionEvent?
        /// Nil if nothing was sent.
        var response: TokenResponse?
        /// The request of the response.
        var request: SentRefresh?
    }

    /// Runs while the account is locked: saves what could not be saved before, takes what another process obtained, or
    /// refreshes.
    func renew(
        _ entry: SessionStoreEntry,
        _ reason: RefreshReason,
        _ time: ActivityTime
    ) async throws -> RefreshResult {
        let known = self.record
        let opened = try await self.open(entry)
        // The same token may be another's, too: it was read before its ID token was looked at, and has passed since.
        let isOther =
            opened.tokens.accessToken != known.tokens?.accessToken || opened.tokens.lifetime != known.tokens?.lifetime
        if isOther, self.cache.serves(opened.current, reason) {
            return RefreshResult(record: opened.record, event: opened.wasUnsaved ? .refreshed : .adopted)
        }
        return try await self.refresh(opened, reason, entry, time)
    }

    /// A session's record as a pass through the store begins with it.
    struct Opened {
        let record: SessionRecord
        let tokens: TokenSet
        let current: CurrentToken<AccessToken>
        let wasUnsaved: Bool
    }

    /// The newest record; what could not be saved before is saved now.
    func open(_ entry: SessionStoreEntry) async throws -> Opened {
        guard let stored = try await entry.load() else { throw SessionEndedError(.signedOut) }
        let base = self.newest(stored)
        let wasUnsaved = base != stored
        if wasUnsaved { try await entry.save(base) }
        self.state.withLock { $0.unsaved = nil }
        guard let tokens = base.tokens else { throw self.ending(base) }
        guard let current = CurrentToken(base, self.connection) else {
            throw await self.close(base, SessionEndedError(.keyLost), entry)
        }
        return Opened(record: base, tokens: tokens, current: current, wasUnsaved: wasUnsaved)
    }

    /// The record, or the one that could not be saved, if nobody consented or refreshed meanwhile.
    ///
    /// A session that another process closed because the provider refused it goes on: it was refused because the unsaved
    /// tokens had replaced its own. One that ended for any other reason stays ended.
    func newest(_ stored: SessionRecord) -> SessionRecord {
        guard var unsaved = self.state.withLock({ $0.unsaved }),
            unsaved.history.consentedAt == stored.history.consentedAt
        else { return stored }
        let isNewer = Self.wasRefused(stored) || stored.tokens != nil && unsaved.generation > stored.generation
        // The account may have been selected since, or claims be required.
        unsaved.history.selectedAt = stored.history.selectedAt
        unsaved.requiredClaims = stored.requiredClaims
        return isNewer ? unsaved : stored
    }

    /// Whether a session ended because the provider rejected its refresh token.
    static func wasRefused(_ stored: SessionRecord) -> Bool {
        stored.tokens == nil
            && [.refused, .interrupted].contains(SessionEndedError.Code.named(stored.history.endReason))
    }

    private func refresh(
        _ opened: Opened,
        _ reason: RefreshReason,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> RefreshResult {
        let base = opened.record
        guard let refreshToken = opened.tokens.refreshToken else {
            // Nothing better can be had; the token at hand serves until its end.
            if self.cache.serves(opened.current, .expired) {
                return RefreshResult(record: base, event: nil)
            }
            throw await self.close(base, SessionEndedError(.expired), entry)
        }
        let refresh = SentRefresh(
            purpose: .renewal(reason),
            refreshToken: refreshToken,
            base: base,
            tokens: opened.tokens,
            begunAt: self.connection.runtime.now()
        )
        let response: TokenResponse
        do {
            response = try await self.send(refresh, entry, time)
        } catch let refusal as OAuthError where refusal.code == .invalidGrant && !refusal.isTransient {
            return try await self.afterRefusal(refusal, refresh, entry)
        }
        return try await self.accept(response, refresh, entry, time)
    }

    /// `invalid_grant`: one look at the store, where somebody without our lock may have won; else the end, written down.
    func afterRefusal(
        _ refusal: OAuthError,
        _ refresh: SentRefresh,
        _ entry: SessionStoreEntry
    ) async throws -> RefreshResult {
        if let stored = try await entry.load(), let tokens = stored.tokens,
            tokens.refreshToken != refresh.refreshToken
        {
            return RefreshResult(record: stored, event: .adopted)
        }
        let base = refresh.base
        var refused = base
        refused.history.clockSkew = self.skew(refusal.serverDate, sentAt: refresh.begunAt) ?? base.history.clockSkew
        let end = SessionEndedError(base.refreshMark == nil ? .refused : .interrupted, cause: refusal)
        let findings = self.diagnosis(of: refused, after: end).findings
        throw await self.close(refused, SessionEndedError(end.code, cause: refusal, findings: findings), entry)
    }

    /// The end that a record tells of.
    func ending(_ record: SessionRecord) -> SessionEndedError {
        SessionEndedError(of: record, rules: self.connection.provider.grantRules, now: self.connection.runtime.now())
    }

    /// How far the clock here is from the provider's, where it said what that shows.
    func skew(_ serverDate: Date?, sentAt: Date) -> Int64? {
        serverDate.map {
            ClockSkew.seconds(serverDate: $0, sentAt: sentAt, receivedAt: self.connection.runtime.now())
        }
    }

    /// How far the clock here is from the provider's, where a response shows that.
    ///
    /// In a response without `Date`, an ID token that was issued later than now, by at most a day, tells the time.
    func skew(_ response: TokenResponse, sentAt: Date) -> Int64? {
        if let serverDate = response.serverDate { return self.skew(serverDate, sentAt: sentAt) }
        let claims = response.idToken.flatMap { try? IDTokenClaims(unverified: $0) }
        guard let issuedAt = claims.map({ Date(timeIntervalSince1970: $0.issuedAt) }),
            case let skew = self.skew(issuedAt, sentAt: sentAt), let skew, (-86_400..<0).contains(skew)
        else { return nil }
        return skew
    }

    /// The record with the answer's tokens, and the ID token as it was.
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
            next.grant = Grant(requested: base.grant.requested, granted: scope, aliases: base.grant.aliases)
        }
        return next
    }

    /// Writes the end down.
    ///
    /// A store that fails now does not keep the session alive.
    func close(_ base: SessionRecord, _ end: SessionEndedError, _ entry: SessionStoreEntry) async -> SessionEndedError {
        try? await entry.save(base.closed(end, at: self.connection.runtime.now()))
        return end
    }
}
