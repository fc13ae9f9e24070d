// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Synchronization
internal import TesseraJOSE
internal import TesseraOAuth

extension OAuthSession {
    /// Why new tokens are wanted.
    enum RefreshReason: Sendable {
        /// The present ones have expired.
        case expired
        /// The present ones are about to expire.
        case due
        /// A server refused this one.
        case refused(AccessToken)
    }

    /// The one operation in flight: new tokens, from another process or from the provider, saved and then published.
    func refresh(_ reason: RefreshReason) async throws -> AccessToken {
        if let ended = self.ended { throw ended }
        // Whoever came between the landing of a flight and the start of this one is served by that flight's token.
        if let token = self.current.withLock({ $0 }).flatMap({ self.serves($0, reason) ? $0.token : nil }) { return token }
        do {
            let change = try await self.store.update(self.account) { entry in try await self.renew(entry, reason) }
            return try self.publish(change)
        } catch let ended as SessionEnded {
            self.end(ended)
            throw ended
        } catch {
            self.eventHub.send(.refreshFailed(error))
            throw error
        }
    }

    /// A refresh that nobody waits for, while the present token is still valid; failures are tried again later.
    func refreshInBackground(_ uptime: Int64) {
        let mayStart = self.state.withLock { state in
            guard uptime >= state.backgroundFrom else { return false }
            state.backgroundDelay = min(max(state.backgroundDelay * 2, 5_000_000_000), 60_000_000_000)
            state.backgroundFrom = uptime + state.backgroundDelay
            return true
        }
        if mayStart { self.flight.start { try await self.refresh(.due) } }
    }

    private func serves(_ current: CurrentToken, _ reason: RefreshReason) -> Bool {
        let uptime = self.connection.runtime.uptime()
        return switch reason {
        case .expired: uptime < current.expiredAt
        case .due: uptime < current.dueAt
        case .refused(let token): current.token != token && uptime < current.expiredAt
        }
    }

    /// What a pass through the store brought.
    struct Change: Sendable {
        let record: SessionRecord
        let event: SessionEvent
    }

    /// Runs while the account is locked: saves what could not be saved before, takes what another process obtained, or
    /// refreshes.
    private func renew(_ entry: SessionStoreEntry, _ reason: RefreshReason) async throws -> Change {
        let (known, unsaved) = self.state.withLock { ($0.record, $0.unsaved) }
        var base: SessionRecord
        if let unsaved {
            try await self.save(unsaved, in: entry)
            base = unsaved
        } else {
            guard let stored = try await entry.load() else { throw SessionEnded(.signedOut) }
            base = stored
        }
        guard let tokens = base.tokens else { throw SessionEnded(.named(base.history.endReason)) }
        if base.generation > known.generation, tokens.accessToken != known.tokens?.accessToken,
            self.serves(self.currentToken(tokens), reason)
        {
            return Change(record: base, event: unsaved == nil ? .adopted : .refreshed)
        }
        return Change(record: try await self.refresh(base, tokens, entry), event: .refreshed)
    }

    private func refresh(
        _ base: SessionRecord, _ tokens: TokenSet, _ entry: SessionStoreEntry
    ) async throws -> SessionRecord {
        guard let refreshToken = tokens.refreshToken else { throw SessionEnded(.expired) }
        let begunAt = self.connection.runtime.now()
        let tokenEndpoint = try await self.connection.metadata().require(\.tokenEndpoint, "token_endpoint")
        try await entry.mark(RefreshMark(begunAt: begunAt, generation: base.generation))
        let response: TokenResponse
        do {
            response = try await TokenEndpoint(connection: self.connection, logger: self.logger)
                .send(.refresh(refreshToken, at: tokenEndpoint), grantType: "refresh_token")
        } catch {
            // Without an answer nobody knows whether the refresh token was used: the mark stays and tells.
            if !(error is TransportError) { try? await entry.mark(nil) }
            guard case OAuthError.Code.invalidGrant = error, let refusal = error as? OAuthError, !refusal.isTransient else {
                throw error
            }
            return try await self.afterRefusal(refusal, base: base, sent: refreshToken, entry)
        }
        let (next, violation) = try await self.next(base, tokens, response, obtainedAt: begunAt)
        self.state.withLock { $0.unsaved = next }
        try await self.save(next, in: entry)
        if let violation { throw violation.rule == .idTokenContinuity ? SessionEnded(.identityChanged) : violation }
        return next
    }

    /// `invalid_grant`: one look at the store, where somebody without our lock may have won; else the end, written down.
    private func afterRefusal(
        _ refusal: OAuthError, base: SessionRecord, sent: Secret, _ entry: SessionStoreEntry
    ) async throws -> SessionRecord {
        if let stored = try await entry.load(), let tokens = stored.tokens, tokens.refreshToken != sent { return stored }
        let end = SessionEnded(base.refreshMark == nil ? .refused : .interrupted, cause: refusal)
        try await entry.save(self.closed(base, end))
        throw end
    }

    /// The record with the answer's tokens.
    ///
    /// An ID token that cannot be checked is not taken; the tokens beside it are kept, since the refresh token may have
    /// been replaced. One that speaks of somebody else ends the session.
    private func next(
        _ base: SessionRecord, _ tokens: TokenSet, _ response: TokenResponse, obtainedAt: Date
    ) async throws -> (SessionRecord, violation: ProtocolViolation?) {
        var next = base
        var renewed = TokenSet(
            accessToken: response.accessToken,
            tokenType: response.tokenType,
            obtainedAt: obtainedAt,
            lifetime: response.expiresIn,
            refreshToken: response.refreshToken ?? tokens.refreshToken,
            idToken: tokens.idToken
        )
        var violation: ProtocolViolation?
        do {
            if let idToken = response.idToken {
                renewed.idToken = try await self.validate(idToken, after: tokens.idToken, accessToken: response.accessToken)
            }
        } catch let broken as ProtocolViolation where broken.rule == .idTokenContinuity {
            next = self.closed(base, SessionEnded(.identityChanged))
            return (next, broken)
        } catch let broken as ProtocolViolation {
            renewed.lifetime = 0
            violation = broken
        } catch is TransportError {
            // The provider's keys are out of reach: the ID token of the sign-in stays.
        } catch is HTTPStatusError {}
        next.tokens = renewed
        next.generation = base.generation + 1
        next.refreshMark = nil
        if let scope = response.scope {
            next.grant = Grant(requested: base.grant.requested, granted: scope, aliases: base.grant.aliases)
        }
        next.history.lastRefreshAt = obtainedAt
        next.history.refreshCount += 1
        if let seconds = response.refreshTokenExpiresIn {
            next.history.refreshTokenExpiresAt = obtainedAt.addingTimeInterval(Double(seconds))
        }
        return (next, violation)
    }

    private func validate(_ idToken: Secret, after previous: Secret?, accessToken: Secret) async throws -> Secret {
        let before = try previous.map { try IDTokenClaims(unverified: $0) }
        let policy = self.connection.idTokenPolicy(nonce: .absentOrEqual(before?.nonce), accessToken: accessToken)
        let validated = try await self.connection.validate(idToken, policy: policy)
        if let before { try validated.checkContinuity(from: before) }
        return validated.token
    }

    private func save(_ record: SessionRecord, in entry: SessionStoreEntry) async throws {
        try await entry.save(record)
        self.state.withLock { state in
            if state.unsaved?.generation == record.generation { state.unsaved = nil }
        }
    }

    private func closed(_ base: SessionRecord, _ end: SessionEnded) -> SessionRecord {
        var closed = base
        closed.tokens = nil
        closed.generation = base.generation + 1
        closed.refreshMark = nil
        closed.history.endedAt = self.connection.runtime.now()
        closed.history.endReason = end.code.description
        return closed
    }

    func currentToken(_ tokens: TokenSet) -> CurrentToken {
        CurrentToken(tokens, now: self.connection.runtime.now(), uptime: self.connection.runtime.uptime())
    }
}
