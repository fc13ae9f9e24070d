// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraOAuth
internal import TesseraSupport

extension OAuthSession {
    /// Returns an access token for some of the granted scopes (RFC 6749, section 6).
    ///
    /// Each call sends a request to the provider and leaves the session's own access token unchanged. If the provider
    /// replaces the refresh token, the new one is saved before this method returns.
    ///
    /// - Parameter scopes: The scopes to request, all of which must have been granted.
    /// - Returns: The token, or nil if the session has no refresh token or the provider rejects the request.
    /// - Throws: Any error that ``accessToken()`` throws.
    package func narrowed(to scopes: [Scope]) async throws -> CurrentToken<NarrowedToken>? {
        if let ended = self.ended { throw ended }
        // A canceled caller stops waiting, but the refresh request completes.
        return try await SingleFlight<CurrentToken<NarrowedToken>?>().run { try await self.narrow(to: scopes) }
    }

    /// Thrown if the session has no refresh token.
    private struct NoRefreshToken: Error {}

    private func narrow(to scopes: [Scope]) async throws -> CurrentToken<NarrowedToken>? {
        let result: RefreshResult
        do {
            result = try await self.inSteps { entry, time in try await self.narrow(entry, to: scopes, time) }.result
        } catch is NoRefreshToken {
            return nil
        } catch let refusal as OAuthError where !refusal.isTransient {
            // The error may concern only these scopes. The next full refresh shows whether the session has ended.
            return nil
        }
        guard let response = result.response, let request = result.request else { return nil }
        let tokens = TokenSet(response, obtainedAt: request.begunAt)
        let now = request.time.now(self.connection.runtime)
        let current = CurrentToken(tokens, dpopKey: request.base.dpopKey, self.connection, now: now, isRenewable: true)
        // This token is not refreshed in the background, so it is treated as expired when a refresh is due.
        let token = NarrowedToken(token: current.token, scopes: response.scope)
        return CurrentToken(token, dueAt: current.dueAt, expiredAt: current.dueAt)
    }

    private func narrow(
        _ entry: SessionStoreEntry,
        to scopes: [Scope],
        _ time: ActivityTime
    ) async throws -> RefreshResult {
        let opened = try await self.open(entry)
        guard let refreshToken = opened.tokens.refreshToken else { throw NoRefreshToken() }
        let refresh = SentRefresh(
            purpose: .narrowing(scopes),
            refreshToken: refreshToken,
            base: opened.record,
            tokens: opened.tokens,
            time: RequestTime(self.connection.runtime)
        )
        let response: TokenResponse
        do {
            response = try await self.send(refresh, entry, time)
        } catch let refusal as OAuthError where !refusal.isTransient {
            try? await entry.mark(opened.record.refreshMark)
            throw refusal
        }
        return try await self.accept(response, refresh, entry, time)
    }
}

/// An access token for some of a session's scopes, which is not part of the session's record.
package struct NarrowedToken: Sendable, Equatable {
    package let token: AccessToken
    /// The scopes of the token, or nil if the provider did not report them and may not have narrowed the token.
    package let scopes: [Scope]?

    package init(token: AccessToken, scopes: [Scope]?) {
        self.token = token
        self.scopes = scopes
    }

    /// Returns whether two values have the same token.
    package static func == (left: Self, right: Self) -> Bool { left.token == right.token }
}
