// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth
internal import TesseraSupport

// What a refresh does on a system that suspends processes.
extension OAuthSession {
    /// A part of a refresh, which runs while the account is locked.
    typealias Step = @Sendable (SessionStoreEntry, ActivityTime) async throws -> RefreshResult

    /// Thrown by a step that is not finished when its activity's time is over: the lock is released.
    struct ReleasedLock: Error {
        /// Waits without the lock, and returns the step that finishes the work.
        let next: @Sendable () async -> Step
    }

    /// Runs a refresh as an activity of the process.
    ///
    /// When the activity's time is over, the lock is released, and what the refresh waits for is awaited without it: the
    /// process may be suspended, and a response may still arrive when it is resumed. Then the next step finishes the refresh
    /// in an activity of its own.
    ///
    /// - Throws: ``RefreshPostponedError`` if the time is over before the account is locked. Tokens that have arrived by then
    ///   are saved by the next call.
    func inSteps(_ first: @escaping Step) async throws -> (token: AccessToken, result: RefreshResult) {
        var step = first
        while true {
            do {
                return try await self.connection.update(
                    self.account,
                    in: self.store,
                    reason: "Refreshing an access token",
                    postponed: RefreshPostponedError()
                ) { [step] entry, time in
                    try await self.pass { try await step(entry, time) }
                }
            } catch let released as ReleasedLock {
                step = await released.next()
            }
        }
    }

    /// The end of a step that has sent a refresh token and releases the lock before the response.
    func released(_ refresh: SentRefresh, awaiting response: Task<TokenResponse, any Error>) -> ReleasedLock {
        ReleasedLock {
            let result = await response.result
            if case .success(let response) = result {
                // If the lock cannot be acquired again, the next call finds the tokens here.
                let next = Self.unchecked(self.renewed(refresh, by: response), response)
                self.state.withLock { $0.unsaved = next }
            }
            return { entry, time in try await self.finish(refresh, result, nil, entry, time) }
        }
    }

    /// Takes the response of a refresh for which the lock was released meanwhile.
    ///
    /// `check` is what came of checking the response's ID token, if that was done before.
    func finish(
        _ refresh: SentRefresh,
        _ result: Result<TokenResponse, any Error>,
        _ check: IDTokenCheck?,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> RefreshResult {
        guard let stored = try await entry.load() else { throw SessionEndedError(.signedOut) }
        let isSameConsent = stored.history.consentedAt == refresh.base.history.consentedAt
        let isCurrent = isSameConsent && stored.tokens != nil && stored.generation == refresh.base.generation
        var rebased = refresh
        if isCurrent { rebased.base = stored }
        // An account that was selected meanwhile stays selected, and claims that were required meanwhile stay required;
        // nothing else changes without a new generation.
        rebased.base.history.selectedAt = stored.history.selectedAt
        rebased.base.requiredClaims = stored.requiredClaims
        rebased.base.refreshMark = refresh.base.refreshMark
        let response: TokenResponse
        switch result {
        case .success(let received): response = received
        case .failure(let error) where isCurrent: return try await self.fail(error, rebased, entry)
        case .failure(let error):
            guard case .renewal = refresh.purpose else { throw error }
            return try await self.follow(stored, refresh, nil, entry, time)
        }
        // Another process may have sent the same refresh token after this one, and heard that it is used up.
        let isOvertaken = Self.wasRefused(stored) || self.isSaved(response, of: rebased, in: stored)
        if isCurrent || isSameConsent && isOvertaken {
            return try await self.accept(response, rebased, entry, time, check: check)
        }
        self.state.withLock { $0.unsaved = nil }
        var newer = stored
        if let replacement = response.refreshToken, replacement != refresh.refreshToken,
            stored.tokens?.refreshToken == refresh.refreshToken
        {
            // A consent without a refresh token of its own kept the one that this refresh has used up.
            newer.count(response, at: refresh.begunAt)
            newer.tokens?.refreshToken = replacement
            try await self.keep(newer, entry)
        }
        return try await self.follow(newer, refresh, response, entry, time)
    }

    /// Whether a record has the tokens of a response already, whose ID token was not checked then.
    private func isSaved(_ response: TokenResponse, of refresh: SentRefresh, in stored: SessionRecord) -> Bool {
        let next = self.renewed(refresh, by: response)
        return stored.generation == next.generation && stored.tokens?.accessToken == next.tokens?.accessToken
            && stored.tokens?.refreshToken == next.tokens?.refreshToken
    }

    /// Ends a refresh that failed, where no other process has changed the session meanwhile.
    private func fail(
        _ error: any Error,
        _ refresh: SentRefresh,
        _ entry: SessionStoreEntry
    ) async throws -> RefreshResult {
        if case .renewal = refresh.purpose, let refusal = error as? OAuthError, refusal.code == .invalidGrant,
            !refusal.isTransient
        {
            return try await self.afterRefusal(refusal, refresh, entry)
        }
        if Self.leavesRefreshToken(error) { try? await entry.mark(refresh.base.refreshMark) }
        throw error
    }

    /// Continues with a record that another process, or a new consent, has saved meanwhile.
    private func follow(
        _ stored: SessionRecord,
        _ refresh: SentRefresh,
        _ response: TokenResponse?,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> RefreshResult {
        guard stored.tokens != nil else { throw self.ending(stored) }
        if case .renewal(let reason) = refresh.purpose {
            let current = CurrentToken(stored, self.connection)
            // Its token may have expired by now, or its ID token may not be checked yet.
            guard let current, self.cache.serves(current, reason) else {
                return try await self.renew(entry, reason, time)
            }
        }
        let event = self.event(of: refresh, stored, isOwn: false)
        return RefreshResult(record: stored, event: event, response: response, request: refresh)
    }
}

/// The system is about to suspend the process, so that a refresh was not begun.
///
/// A response that the process does not live to see would lose the session where refresh tokens rotate.
public struct RefreshPostponedError: ErrorGuidance, Sendable, Hashable {
    package init() {}

    /// Always true.
    public var isRetryable: Bool { true }
    /// One line.
    public var description: String { "The access token was not refreshed: the system is about to suspend the app." }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? { "Try again when the app is in the foreground, or in a background task." }
}
