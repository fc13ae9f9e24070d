// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth
internal import TesseraSupport

// Refreshing on systems that suspend processes.
extension OAuthSession {
    /// Part of a refresh, which runs while the account is locked.
    typealias Step = @Sendable (SessionStoreEntry, ActivityTime) async throws -> RefreshResult

    /// The token that a refresh has published, and its result.
    typealias PublishedResult = (token: AccessToken, result: RefreshResult)

    /// Thrown by a step that is unfinished when its activity's time expires, which releases the lock.
    struct LockReleasedError: Error {
        /// The rest of the refresh.
        let rest: LateRefreshes.Refresh
    }

    /// Thrown by a step that cannot begin before a late refresh has ended.
    private struct LateRefreshError: Error {}

    /// Runs a refresh as an activity of the process.
    ///
    /// If the activity's time expires, the lock is released and the refresh waits for the response without it. The
    /// process may be suspended meanwhile, and the response may arrive after it resumes. The next step then finishes
    /// the refresh in a new activity. Until then, other refreshes with this connection wait, because the response may
    /// replace the refresh token.
    ///
    /// - Throws: ``RefreshPostponedError`` if the time expires before the account is locked. Tokens that have arrived
    ///   by then are saved by the next call.
    func inSteps(_ first: @escaping Step) async throws -> PublishedResult {
        while true {
            do {
                return try await self.run { entry, time in
                    if self.connection.lateRefreshes[self.account] != nil { throw LateRefreshError() }
                    return try await first(entry, time)
                }
            } catch is LateRefreshError {
                await self.connection.lateRefreshes.settle(self.account)
            }
        }
    }

    /// Runs a step and those that finish it.
    private func run(_ step: @escaping Step) async throws -> PublishedResult {
        do {
            return try await self.connection.update(
                self.account,
                in: self.store,
                reason: "Refreshing an access token",
                postponed: RefreshPostponedError()
            ) { entry, time in
                try await self.pass { try await step(entry, time) }
            }
        } catch let released as LockReleasedError {
            return try await self.connection.lateRefreshes.finish(released.rest, of: self.account).get()
        }
    }

    /// Starts the rest of a refresh, and returns the error that ends the current step and releases the lock.
    ///
    /// `next` waits without the lock and returns the step that finishes the work.
    func release(_ next: @escaping @Sendable () async -> Step) -> LockReleasedError {
        let rest = TaskExecutorInheritance.start { try await self.run(await next()) }
        self.connection.lateRefreshes.register(rest, of: self.account)
        return LockReleasedError(rest: rest)
    }

    /// Returns the error that ends a step that has sent its request but not received the response.
    func released(_ refresh: SentRefresh, awaiting response: Task<TokenResponse, any Error>) -> LockReleasedError {
        self.release {
            let result = await response.result
            if case .success(let response) = result {
                // If the lock cannot be acquired again, the next call saves these tokens.
                let next = Self.unchecked(self.renewed(refresh, by: response), response)
                self.retain(next, refresh, self.received(next, refresh))
            }
            return { entry, time in try await self.finish(refresh, result, nil, entry, time) }
        }
    }

    /// Handles the response to a refresh that released the lock while waiting.
    ///
    /// `check` is the result if the response's ID token has already been checked.
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
        if isCurrent {
            rebased.base = stored
            rebased.laterMark = refresh.laterMark(in: stored)
            rebased.base.refreshMark = refresh.otherMark(in: stored)
        }
        // Selecting the account and requiring claims do not change the generation, so the current values are used.
        rebased.base.history.selectedAt = stored.history.selectedAt
        rebased.base.requiredClaims = stored.requiredClaims
        let response: TokenResponse
        switch result {
        case .success(let received): response = received
        case .failure(let error) where isCurrent: return try await self.fail(error, rebased, entry, time)
        case .failure(let error):
            guard case .renewal = refresh.purpose else { throw error }
            return try await self.follow(stored, refresh, nil, entry, time)
        }
        let next = self.renewed(rebased, by: response)
        // Another process may have sent the same refresh token later and been told that it was already used.
        let isSaved = Self.isSaved(next, in: stored)
        if isSaved { rebased.nextMark = stored.refreshMark }
        if isCurrent || isSameConsent && (isSaved || Self.wasRefused(stored, before: next)) {
            return try await self.accept(response, rebased, entry, time, check: check)
        }
        self.connection.unsaved[self.account] = nil
        let newer = stored.continued(by: next, replacing: refresh.refreshToken)
        if newer != stored { try await self.save(newer, refresh, entry) }
        return try await self.follow(newer, refresh, response, entry, time)
    }

    /// Returns whether a record already contains the tokens of a response whose ID token had not been checked.
    private static func isSaved(_ next: SessionRecord, in stored: SessionRecord) -> Bool {
        stored.generation == next.generation && stored.tokens?.accessToken == next.tokens?.accessToken
            && stored.tokens?.refreshToken == next.tokens?.refreshToken
    }

    /// Handles a failed refresh of a session that no other process has changed in the meantime.
    private func fail(
        _ error: any Error,
        _ refresh: SentRefresh,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> RefreshResult {
        if case .renewal = refresh.purpose, let refusal = error as? OAuthError, refusal.code == .invalidGrant,
            !refusal.isTransient
        {
            return try await self.afterRefusal(refusal, refresh, entry, time)
        }
        if Self.leavesRefreshToken(error) { try? await entry.mark(refresh.base.refreshMark) }
        throw error
    }

    /// Continues with a record that another process or a new consent has saved in the meantime.
    func follow(
        _ stored: SessionRecord,
        _ refresh: SentRefresh,
        _ response: TokenResponse?,
        _ entry: SessionStoreEntry,
        _ time: ActivityTime
    ) async throws -> RefreshResult {
        guard stored.tokens != nil else { throw self.ending(stored) }
        if case .renewal(let reason) = refresh.purpose {
            let current = self.currentToken(stored)
            // The record's token may have expired, or its ID token may not have been checked yet.
            guard let current, self.cache.serves(current, reason) else {
                return try await self.renew(entry, reason, time)
            }
        }
        let event = self.event(of: refresh, stored, isOwn: false)
        return RefreshResult(record: stored, event: event, response: response, request: refresh)
    }
}

/// An error that indicates that a refresh was not started because the system is about to suspend the process.
///
/// With rotating refresh tokens, the session is lost if the process ends before the response is saved.
public struct RefreshPostponedError: ErrorGuidance, Sendable, Hashable {
    package init() {}

    /// Always true, because the refresh can succeed when the app is in the foreground again.
    public var isRetryable: Bool { true }
    /// A one-line description of the error.
    public var description: String {
        "The access token was not refreshed because the system is about to suspend the app"
    }
    /// A suggested next step for the user or the developer.
    public var recoverySuggestion: String? { "Try again when the app is in the foreground, or in a background task." }
}
