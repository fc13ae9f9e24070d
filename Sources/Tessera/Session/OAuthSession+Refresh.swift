// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraSupport
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
        if let token = self.current.withLock({ $0 }).flatMap({ self.serves($0, reason) ? $0.token : nil }) {
            return token
        }
        do {
            return try await self.refreshed(reason)
        } catch let ended as SessionEnded {
            throw ended
        } catch {
            self.eventHub.send(.refreshFailed(error))
            throw error
        }
    }

    /// Published, or ended, while the account is still locked: a consent or a sign-out that has the lock next comes
    /// after this in memory too.
    func pass(
        _ entry: SessionStoreEntry,
        _ change: () async throws -> Change
    ) async throws -> AccessToken {
        do {
            return try self.publish(try await change())
        } catch let ended as SessionEnded {
            self.end(ended)
            throw ended
        }
    }

    /// A refresh that no caller waits for, while the present token is still valid; failures are tried again later.
    ///
    /// An app in the background does not begin one: it may be suspended before the response.
    func refreshInBackground(_ uptime: Int64) {
        if self.connection.runtime.suspension?.isInBackground() == true { return }
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
        /// Nil when nothing new came.
        let event: SessionEvent?
    }

    /// Runs while the account is locked: saves what could not be saved before, takes what another process obtained, or
    /// refreshes.
    func renew(
        _ entry: SessionStoreEntry,
        _ reason: RefreshReason,
        _ time: ActivityTime
    ) async throws -> Change {
        let known = self.record
        let opened = try await self.open(entry)
        // The same token may be another's, too: it was read before its ID token was looked at, and has passed since.
        let isOther =
            opened.tokens.accessToken != known.tokens?.accessToken || opened.tokens.lifetime != known.tokens?.lifetime
        if isOther, self.serves(opened.current, reason) {
            return Change(record: opened.record, event: opened.wasUnsaved ? .refreshed : .adopted)
        }
        return try await self.refresh(opened, entry, time)
    }

    /// A session's record as a pass through the store begins with it.
    struct Opened {
        let record: SessionRecord
        let tokens: TokenSet
        let current: CurrentToken
        let wasUnsaved: Bool
    }

    /// The newest record; what could not be saved before is saved now.
    func open(_ entry: SessionStoreEntry) async throws -> Opened {
        guard let stored = try await entry.load() else { throw SessionEnded(.signedOut) }
        let base = self.newest(stored)
        let wasUnsaved = base != stored
        if wasUnsaved { try await entry.save(base) }
        self.state.withLock { $0.unsaved = nil }
        guard let tokens = base.tokens else { throw self.ending(base) }
        guard let current = CurrentToken(base, self.connection) else {
            throw await self.close(base, SessionEnded(.keyLost), entry)
        }
        return Opened(record: base, tokens: tokens, current: current, wasUnsaved: wasUnsaved)
    }

    /// The record, or the one that could not be saved, if nobody consented or refreshed meanwhile.
    ///
    /// A session that another process closed because the provider refused it goes on: it was refused because the unsaved
    /// tokens had replaced its own. One that ended for any other reason stays ended.
    func newest(_ stored: SessionRecord) -> SessionRecord {
        guard let unsaved = self.state.withLock({ $0.unsaved }),
            unsaved.history.consentedAt == stored.history.consentedAt
        else { return stored }
        let isNewer = Self.wasRefused(stored) || stored.tokens != nil && unsaved.generation > stored.generation
        return isNewer ? unsaved : stored
    }

    /// Whether a session ended because the provider rejected its refresh token.
    static func wasRefused(_ stored: SessionRecord) -> Bool {
        stored.tokens == nil
            && [.refused, .interrupted].contains(SessionEnded.Code.named(stored.history.endReason))
    }

    private func refresh(
        _ opened: Opened,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> Change {
        let base = opened.record
        guard let refreshToken = opened.tokens.refreshToken else {
            // Nothing better can be had; the token at hand serves until its end.
            if self.serves(opened.current, .expired) { return Change(record: base, event: nil) }
            throw await self.close(base, SessionEnded(.expired), entry)
        }
        if time.isOver { throw RefreshPostponedError() }
        let refresh = SentRefresh(
            refreshToken: refreshToken,
            base: base,
            tokens: opened.tokens,
            begunAt: self.connection.runtime.now()
        )
        let response: TokenResponse
        do {
            response = try await self.send(refreshToken, of: base, begunAt: refresh.begunAt, entry, time)
        } catch let refusal as OAuthError where refusal.code == .invalidGrant && !refusal.isTransient {
            return try await self.afterRefusal(refusal, refresh, entry)
        } catch let unfinished as ActivityTime.Unfinished<TokenResponse> {
            throw UnfinishedRefresh(refresh: refresh, response: unfinished.task)
        }
        return try await self.accept(response, refresh, entry)
    }

    /// Saves the tokens of a response.
    func accept(
        _ response: TokenResponse,
        _ refresh: SentRefresh,
        _ entry: SessionStoreEntry
    ) async throws -> Change {
        var next = Self.next(refresh.base, refresh.tokens, response, obtainedAt: refresh.begunAt)
        next.history.clockSkew = self.skew(response.serverDate, sentAt: refresh.begunAt) ?? next.history.clockSkew
        return Change(record: try await self.save(next, over: refresh.base, response, entry), event: .refreshed)
    }

    /// Sends a refresh token, for all scopes or for some of them; the mark is on the disk before, and stays where the
    /// refresh token may be used up.
    func send(
        _ refreshToken: Secret,
        of base: SessionRecord,
        scopes: [Scope] = [],
        begunAt: Date,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> TokenResponse {
        let tokenEndpoint = try await self.connection.registeredClient().endpoint(\.tokenEndpoint, "token_endpoint")
        try await entry.mark(RefreshMark(begunAt: begunAt, generation: base.generation))
        var request = TokenRequest.refresh(refreshToken, scopes: scopes, at: tokenEndpoint)
        request.resources = base.resources
        if let audience = base.tokens.flatMap({ self.foreignAudience(of: $0) }) {
            request.additionalParameters["audience"] = audience
        }
        do {
            return try await time.run { [request] in
                try await self.connection.registeredClient(dpopKey: base.dpopKey).send(request)
            }
        } catch let refusal as OAuthError where refusal.code == .invalidGrant && !refusal.isTransient {
            throw refusal
        } catch {
            // Without the provider's own word nobody knows whether the refresh token was used: the mark stays and tells.
            // So does that of an earlier refresh, of which nobody has heard yet.
            if Self.leavesRefreshToken(error) { try? await entry.mark(base.refreshMark) }
            throw error
        }
    }

    /// Saves what a refresh made of a record, with the answer's ID token, before anybody sees it.
    func save(
        _ renewed: SessionRecord,
        over base: SessionRecord,
        _ response: TokenResponse,
        _ entry: SessionStoreEntry
    ) async throws -> SessionRecord {
        var next = renewed
        await Self.saveReplacement(next, response, entry)
        let violation = await self.takeIDToken(of: response, after: base.tokens?.idToken, into: &next)
        if let violation, Self.identityRules.contains(violation.rule) {
            throw await self.close(base, SessionEnded(.identityChanged), entry)
        }
        self.state.withLock { [next] in $0.unsaved = next }
        try await entry.save(next)
        self.state.withLock { $0.unsaved = nil }
        if let violation { throw violation }
        return next
    }

    /// Whether a failure proves that the refresh token was not used: the provider said no, or heard nothing.
    static func leavesRefreshToken(_ error: any Error) -> Bool {
        error is OAuthError || error is InvalidRequest || (error as? TransportError)?.nothingWasSent == true
    }

    /// A refresh token that replaced another one is on the disk before the ID token beside it is looked at: the
    /// provider's keys may have to be fetched for that.
    ///
    /// Until it has passed, the access token counts as expired.
    private static func saveReplacement(
        _ next: SessionRecord,
        _ response: TokenResponse,
        _ entry: SessionStoreEntry
    ) async {
        guard response.refreshToken != nil, response.idToken != nil else { return }
        var unchecked = next
        unchecked.tokens?.lifetime = 0
        // A store that fails here fails again at the save that counts.
        try? await entry.save(unchecked)
    }

    /// `invalid_grant`: one look at the store, where somebody without our lock may have won; else the end, written down.
    func afterRefusal(
        _ refusal: OAuthError,
        _ refresh: SentRefresh,
        _ entry: SessionStoreEntry
    ) async throws -> Change {
        if let stored = try await entry.load(), let tokens = stored.tokens,
            tokens.refreshToken != refresh.refreshToken
        {
            return Change(record: stored, event: .adopted)
        }
        let base = refresh.base
        var refused = base
        refused.history.clockSkew = self.skew(refusal.serverDate, sentAt: refresh.begunAt) ?? base.history.clockSkew
        let end = SessionEnded(base.refreshMark == nil ? .refused : .interrupted, cause: refusal)
        let findings = self.diagnosis(of: refused, after: end).findings
        throw await self.close(refused, SessionEnded(end.code, cause: refusal, findings: findings), entry)
    }

    /// The end that a record tells of.
    func ending(_ record: SessionRecord) -> SessionEnded {
        SessionEnded(of: record, rules: self.connection.provider.grantRules, now: self.connection.runtime.now())
    }

    /// How far the clock here is from the provider's, where it said what that shows.
    private func skew(_ serverDate: Date?, sentAt: Date) -> Int64? {
        serverDate.map {
            ClockSkew.seconds(serverDate: $0, sentAt: sentAt, receivedAt: self.connection.runtime.now())
        }
    }

    /// The record with the answer's tokens, and the ID token as it was.
    private static func next(
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

    /// What, in a refreshed ID token with a good signature, says that it speaks of another person, client or sign-in.
    private static let identityRules: Set<ProtocolViolation.Rule> = [
        .idTokenContinuity, .jwtIssuer, .jwtAudience, .idTokenAuthorizedParty, .idTokenNonce,
    ]

    /// Takes the answer's ID token, if it passes.
    ///
    /// One that breaks a rule is not taken, and the access token beside it is not used; both are kept in the record as
    /// expired, since the refresh token beside them may have replaced the one before.
    private func takeIDToken(
        of response: TokenResponse,
        after previous: Secret?,
        into next: inout SessionRecord
    ) async -> ProtocolViolation? {
        guard let idToken = response.idToken else { return nil }
        do {
            next.tokens?.idToken = try await self.validate(
                idToken,
                after: previous,
                accessToken: response.accessToken
            )
            return nil
        } catch let violation as ProtocolViolation {
            next.tokens?.lifetime = 0
            return violation
        } catch {
            // The provider's keys are out of reach, whatever the network calls it: the ID token of the sign-in stays.
            return nil
        }
    }

    /// The program's server, where the ID token was made out to it (``SignInOptions/serverClientID``): the next one is
    /// asked for in the same way, as Google's own libraries do.
    private func foreignAudience(of tokens: TokenSet) -> String? {
        guard let audience = tokens.idToken.flatMap({ try? IDTokenClaims(unverified: $0) })?.audience,
            !audience.contains(where: self.account.clientID.isExactly)
        else { return nil }
        return audience.first
    }

    private func validate(_ idToken: Secret, after previous: Secret?, accessToken: Secret) async throws -> Secret {
        let before = try previous.map { try IDTokenClaims(unverified: $0) }
        var policy = self.connection.idTokenPolicy(
            nonce: .absentOrEqual(before?.nonce.map(Secret.init)),
            accessToken: accessToken
        )
        policy.otherAudiences = before?.audience ?? []
        policy.otherAuthorizedParties = before?.authorizedParty.map { [$0] } ?? []
        let validated = try await self.connection.validate(idToken, policy: policy)
        if let before { try validated.checkContinuity(from: before) }
        return validated.token
    }

    /// Writes the end down.
    ///
    /// A store that fails now does not keep the session alive.
    private func close(_ base: SessionRecord, _ end: SessionEnded, _ entry: SessionStoreEntry) async -> SessionEnded {
        try? await entry.save(base.closed(end, at: self.connection.runtime.now()))
        return end
    }
}
