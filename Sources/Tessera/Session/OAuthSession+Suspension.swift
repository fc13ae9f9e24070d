// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraOAuth

// What a refresh does on a system that suspends processes.
extension OAuthSession {
    /// Refreshes the token as an activity of the process.
    ///
    /// When the activity's time is over, the lock is released and the response is awaited without it: the process may be
    /// suspended, and the response may still arrive when it is resumed.
    func refreshed(_ reason: RefreshReason) async throws -> AccessToken {
        let suspension = self.connection.runtime.suspension
        do {
            return try await suspension.activity("Refreshing an access token") { time in
                try await self.store.update(self.account) { entry in
                    try await self.pass(entry) { try await self.renew(entry, reason, time) }
                }
            }
        } catch let unfinished as UnfinishedRefresh {
            let result = await unfinished.response.result
            return try await suspension.activity("Saving an access token") { _ in
                try await self.store.update(self.account) { entry in
                    try await self.pass(entry) { try await self.finish(unfinished.refresh, result, entry) }
                }
            }
        }
    }

    /// A refresh that was sent.
    struct SentRefresh: Sendable {
        let refreshToken: Secret
        let base: SessionRecord
        let tokens: TokenSet
        let begunAt: Date
    }

    /// A refresh whose response had not come when the process was about to be suspended.
    struct UnfinishedRefresh: Error {
        let refresh: SentRefresh
        let response: Task<TokenResponse, any Error>
    }

    /// Takes the response of a refresh for which the lock was released meanwhile.
    private func finish(
        _ refresh: SentRefresh,
        _ result: Result<TokenResponse, any Error>,
        _ entry: SessionStoreEntry
    ) async throws -> Change {
        guard let stored = try await entry.load() else { throw SessionEnded(.signedOut) }
        let isCurrent = stored.tokens?.refreshToken == refresh.refreshToken
        // Another process may have sent the same refresh token after this one, and heard that it is used up.
        let wasRefused = Self.wasRefused(stored) && stored.history.consentedAt == refresh.base.history.consentedAt
        switch result {
        case .success(let response) where isCurrent || wasRefused:
            return try await self.accept(response, refresh, entry)
        case .failure(let refusal as OAuthError)
        where isCurrent && refusal.code == .invalidGrant && !refusal.isTransient:
            return try await self.afterRefusal(refusal, refresh, entry)
        case .failure(let error) where isCurrent:
            if Self.leavesRefreshToken(error) { try? await entry.mark(refresh.base.refreshMark) }
            throw error
        case .success, .failure:
            if stored.tokens == nil { throw self.ending(stored) }
            return Change(record: stored, event: .adopted)
        }
    }
}
